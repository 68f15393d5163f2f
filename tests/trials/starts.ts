// `npx tsx tests/trials/starts.ts [--rounds 100]`: two controllers begun at once from two folders of a team, on one store and one host.
import { rmSync, writeFileSync } from 'node:fs';
import { onePlay } from '../cli/cli-harness.js';
import { counted, newTeam, slow, type Team, type Watched } from './team.js';
import { counts, runTrial } from './trial.js';

const STEPS = ['before', 'slow', 'after'];
const PLAYBOOK = onePlay(STEPS.map((name) => (name === 'slow' ? slow(name) : counted(name))).join(''));

/** What the refused one prints: one message, with who has it. */
const REFUSAL = /^runbook: .* in use by .*$/gm;

interface Round {
  readonly codes: string;
  readonly messages: number;
  readonly made: string;
  readonly refused: string;
}

async function once({ host, a, b, start, made }: Team, aFirst: boolean): Promise<Round> {
  for (const file of [...STEPS, 'made', 'go', 'began']) rmSync(host.path(file), { force: true });
  const both = (aFirst ? [a, b] : [b, a]).map((at) => start(at, ['apply', 'test.yaml', '-y']));
  const ended = async ({ running }: Watched): Promise<number | undefined> => (await running).exitCode;
  // The one that is refused ends first: the other one works until it may end.
  await Promise.race(both.map(ended));
  writeFileSync(host.path('go'), '');
  const codes = await Promise.all(both.map(ended));
  const refused = both.filter((_, n) => codes[n] !== 0).map((each) => each.text());
  return {
    codes: codes.toSorted((x, y) => (x ?? -1) - (y ?? -1)).join(' and '),
    messages: refused.flatMap((text) => text.match(REFUSAL) ?? []).length,
    made: made().join(' '),
    refused: refused.join('\n---\n'),
  };
}

await runTrial(100, async (trial) => {
  const team = await newTeam(trial, PLAYBOOK);
  const rounds: Round[] = [];
  for (let round = 0; round < trial.rounds; round += 1) rounds.push(await once(team, trial.pick(2) === 0));
  const [first] = rounds;
  trial.line(
    `${rounds.length} rounds of two starts; the first refusal:\n${first?.refused.replaceAll(/^/gm, '  | ') ?? ''}`,
  );
  trial.line(`exit codes: ${counts(rounds.map(({ codes }) => codes))}`);
  trial.line(`messages of refusal: ${counts(rounds.map(({ messages }) => messages))}`);
  trial.line(`steps done: ${counts(rounds.map(({ made }) => made))}`);
  const every = (is: (round: Round) => boolean): boolean => rounds.every(is);
  trial.rule(
    'one runs, the other is refused with exit code 5',
    every(({ codes }) => codes === '0 and 5'),
  );
  trial.rule(
    'the refused one prints one message',
    every(({ messages }) => messages === 1),
  );
  trial.rule(
    'each step is done once',
    every(({ made }) => made === STEPS.join(' ')),
  );
  for (const { codes, refused } of rounds) if (codes !== '0 and 5') trial.line(`${codes}:\n${refused}`);
});
