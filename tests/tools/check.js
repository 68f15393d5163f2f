// `npm run check`: types, lint, the table of rooms, format, unused code, retired words, docs drift, and the table of the specification. Everything is tried, two at a time; the exit code is the worst.
import { spawn } from 'node:child_process';

const steps = [
  ['build', ['node', ['tests/tools/build.js']]],
  ['lint', ['npx', ['eslint', '.', '--cache', '--cache-location', 'node_modules/.cache/eslint/']]],
  ['types', ['npx', ['tsc', '-p', '.']]],
  ['rooms', ['npx', ['depcruise', 'engine', '--config', '.dependency-cruiser.cjs', '--output-type', 'err']]],
  ['format', ['npx', ['prettier', '--check', '--log-level', 'warn', '.']]],
  ['unused code', ['npx', ['knip', '--no-progress']]],
  ['words', ['node', ['tests/tools/words.js']]],
  ['docs drift', ['npx', ['tsx', 'tests/tools/docs.js', '--check']]],
  ['specification', ['npx', ['tsx', 'tests/tools/specification.ts', '--check']]],
];

let failed = 0;

/** Its output comes when it has ended, for another one runs beside it. */
const tryStep = ([name, [command, args]]) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    child.on('close', (status) => {
      process.stdout.write(output);
      console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name}`);
      if (status !== 0) failed += 1;
      resolve();
    });
  });

// The others read what the build makes; the longest of them begins first.
const [build, lint, ...others] = steps;
await tryStep(build);
const left = [lint, ...others];
const lane = async () => {
  for (let step = left.shift(); step !== undefined; step = left.shift()) await tryStep(step);
};
await Promise.all([lane(), lane()]);
console.log(`check: ${steps.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
