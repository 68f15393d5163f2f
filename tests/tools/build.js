// Builds dist/: validators compiled ahead from the schemas, then one bundle a verb, so that a start-up reads few small files.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const { version, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

const validators = spawnSync(process.execPath, ['tests/tools/validators.js'], { stdio: 'inherit' });
if (validators.status !== 0) process.exit(validators.status ?? 1);

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: ['engine/cli/main.ts'],
  outdir: 'dist/cli',
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
  logLevel: 'warning',
});
