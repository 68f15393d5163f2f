// `npm run effects -- --record FILE [--only TEXT] [--every N]` writes what the upgrade changes on the model, also after a stop at each step,
// and `npm run effects -- --compare OLD NEW` lists the classes of difference between two such files: for a change of language or engine.
import { createWriteStream, readFileSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createGzip, gunzipSync } from 'node:zlib';
import { shippedProject } from '../playbooks/platform-bench.js';
import { compare } from './compare.js';
import { PARTS, recordingsOf, type Projects, type Recording } from './record.js';
import { SITUATIONS } from './situations.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    record: { type: 'string' },
    compare: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    every: { type: 'string', default: '1' },
  },
});

async function record(file: string): Promise<void> {
  const out = createGzip();
  const written = finished(out.pipe(createWriteStream(file)));
  const playbooks = ['upgrade-4.14.yaml', 'rollback.yaml', ...PARTS];
  const projects = Object.fromEntries(
    await Promise.all(playbooks.map(async (name) => [name, await shippedProject(name)] as const)),
  ) as unknown as Projects;
  let count = 0;
  for (const situation of SITUATIONS.filter(({ name }) => name.includes(values.only))) {
    for await (const one of recordingsOf(projects, situation, Number(values.every))) {
      out.write(`${JSON.stringify(one)}\n`);
      count += 1;
    }
    console.error(`${situation.name}: ${count} runs`);
  }
  out.end();
  await written;
}

const read = (file: string): readonly Recording[] =>
  gunzipSync(readFileSync(file))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Recording);

function compareFiles([before = '', after = '']: readonly string[]): number {
  const { compared, alone, classes } = compare(read(before), read(after));
  for (const [name, seen] of [...classes].sort(([, a], [, b]) => b.length - a.length))
    console.log(`${seen.length} runs: ${name}\n    first: ${seen[0] ?? ''}`);
  console.log(`${compared} runs compared, ${alone} on one side only: ${classes.size} classes of difference`);
  return compared > 0 && classes.size === 0 ? 0 : 1;
}

if (values.record !== undefined) await record(values.record);
else if (values.compare && positionals.length === 2) process.exitCode = compareFiles(positionals);
else {
  console.error('npm run effects -- --record FILE | --compare OLD NEW');
  process.exitCode = 2;
}
