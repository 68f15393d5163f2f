import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const { version, dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Bundles a program, one file a verb, so that a start-up reads few small files. */
export const bundle = (entry, outdir) =>
  build({
    entryPoints: [entry],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Bundled, a package is one read instead of a hundred small ones, which halves a start-up. What is rarely needed, has
    // native parts or looks for its own files stays outside and is loaded when needed.
    external: Object.keys(dependencies).filter((name) => ['ajv', 'ssh2', 'undici'].includes(name)),
    // Its ES modules: a bundle cannot name the exports of its CommonJS form.
    alias: { yaml: './node_modules/yaml/browser/index.js' },
    define: { RUNBOOK_VERSION: JSON.stringify(version) },
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
  });

// `node tests/tools/bundle.js ENTRY FOLDER`: a program of the tests.
const [, own, entry, outdir] = process.argv;
if (own === fileURLToPath(import.meta.url) && entry !== undefined) await bundle(entry, outdir);
