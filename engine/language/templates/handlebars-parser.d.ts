/** The parser of Handlebars without its compiler, which is never used here and takes three times as long to load. */
declare module 'handlebars/dist/cjs/handlebars/compiler/base.js' {
  export const parse: typeof import('handlebars').parse;
}
