// `npm run check`: types, lint, the table of rooms, format, unused code, retired words, docs drift, and the table of the specification. Everything is tried; the exit code is the worst.
import { spawnSync } from 'node:child_process';

const steps = [
  ['build', ['node', ['tests/tools/build.js']]],
  ['types', ['npx', ['tsc', '-p', '.']]],
  ['lint', ['npx', ['eslint', '.', '--cache', '--cache-location', 'node_modules/.cache/eslint/']]],
  ['rooms', ['npx', ['depcruise', 'engine', '--config', '.dependency-cruiser.cjs', '--output-type', 'err']]],
  ['format', ['npx', ['prettier', '--check', '--log-level', 'warn', '.']]],
  ['unused code', ['npx', ['knip', '--no-progress']]],
  ['words', ['node', ['tests/tools/words.js']]],
  ['docs drift', ['npx', ['tsx', 'tests/tools/docs.js', '--check']]],
  ['specification', ['npx', ['tsx', 'tests/tools/specification.ts', '--check']]],
];

let failed = 0;
for (const [name, [command, args]] of steps) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name}`);
  if (status !== 0) failed += 1;
}
console.log(`check: ${steps.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
