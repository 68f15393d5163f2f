// The rooms and who may import whom: docs/architecture.md has the table in words. `npm run check` fails on any other arrow.
const rooms = {
  lib: [],
  terms: ['lib'],
  expressions: ['terms', 'lib'],
  language: ['terms', 'expressions', 'lib'],
  facts: ['terms', 'lib'],
  modules: ['terms', 'facts', 'lib'],
  machines: ['terms', 'facts', 'lib'],
  simulator: ['terms', 'facts', 'machines', 'lib'],
  journal: ['terms', 'lib'],
  run: ['terms', 'expressions', 'language', 'facts', 'modules', 'journal', 'lib'],
  report: ['terms', 'journal', 'lib'],
  ansible: ['terms', 'lib'],
  init: ['terms', 'ansible', 'lib'],
  store: ['terms', 'journal', 'lib'],
  zones: ['terms', 'machines', 'store', 'lib'],
};
// What the code of a platform may import: the doors that its simulator stands behind, and what modules may.
const platformMay = ['terms', 'facts', 'modules', 'machines', 'simulator', 'lib'];

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^engine' },
      to: { circular: true },
    },
    ...Object.entries(rooms).map(([room, may]) => ({
      name: `${room}-imports-only-its-own`,
      severity: 'error',
      from: { path: `^engine/${room}/` },
      to: { path: '^engine/', pathNot: [`^engine/${room}/`, ...may.map((r) => `^engine/${r}/`)] },
    })),
    {
      name: 'a-platform-imports-only-its-own',
      severity: 'error',
      from: { path: '^engine/platforms/([^/]+)/' },
      to: { path: '^engine/', pathNot: ['^engine/platforms/$1/', ...platformMay.map((r) => `^engine/${r}/`)] },
    },
    {
      name: 'only-the-list-of-platforms-imports-one',
      severity: 'error',
      from: { path: '^engine/', pathNot: ['^engine/platforms/', '^engine/cli/platform(s|-offers)\\.ts$'] },
      to: { path: '^engine/platforms/' },
    },
    {
      name: 'a-module-does-not-know-a-platform-s-simulator',
      severity: 'error',
      from: { path: '^engine/platforms/[^/]+/modules/' },
      to: { path: '^engine/(machines|simulator|platforms/[^/]+/simulator)/' },
    },
    {
      name: 'a-schema-is-for-types-and-for-the-build',
      comment: 'schemas/ is generated from it; at run time it would only cost time',
      severity: 'error',
      from: { path: '^engine/', pathNot: ['/(schema|modules/shared/arguments)\\.ts$', '^engine/terms/schemas/'] },
      to: {
        path: ['/(schema|modules/shared/arguments)\\.ts$', '^engine/terms/schemas/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'nats-is-loaded-where-a-store-is-opened',
      comment: 'without a store nothing of it is read',
      severity: 'error',
      from: { path: '^engine/', pathNot: '^engine/(store/nats|zones)/' },
      to: { path: '^engine/(store/nats|zones)/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    {
      name: 'only-the-store-and-zones-import-the-library-of-nats',
      severity: 'error',
      from: { path: '^engine/', pathNot: '^engine/(store/nats|zones)/' },
      to: { path: '(^|/)@nats-io/' },
    },
    {
      name: 'modules-read-and-do-nothing',
      severity: 'error',
      from: { path: '^engine/(modules|terms|platforms/[^/]+/modules)/' },
      to: {
        dependencyTypes: ['core'],
        path: '^(node:)?(fs|net|tls|http|https|http2|dns|dgram|child_process|process|os|worker_threads|readline)(/|$)',
      },
    },
    {
      name: 'modules-use-few-packages',
      comment: 'a package may read and perform, too; one that only computes is added here',
      severity: 'error',
      from: { path: '^engine/(modules|terms|platforms/[^/]+/modules)/' },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'],
        pathNot: '(^|/)(typebox|yaml|fast-xml-parser)(/|$)',
      },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
