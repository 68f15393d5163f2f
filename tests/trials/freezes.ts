// `npx tsx tests/trials/freezes.ts [--rounds 50] [--seed 1]`: a controller is frozen at a seeded moment around an effect, its run is taken over
// from another folder and completed, and it is awakened. Then the same with the worker of a zone, in whose place another one comes. The host
// is a real sshd with a lease. Needs root.
import { startSshd, type Sshd } from '../system/sshd.js';
import { awaken, freeze, freezing, momentOf, MOST_SILENT_MS, PLAYBOOK, STEPS, type Moment } from './moments.js';
import { newTeam, OVER_SSH, startWorker, type Team, type Watched } from './team.js';
import { counts, inRounds, runTrial, type Trial } from './trial.js';

/** An effect takes about so long from its record to its end. */
const ANY_MS = 60;
const AT_ONCE = 3;

interface Round {
  readonly when: string;
  /** What was done on the host after the run had been completed by another. */
  readonly late: number;
  readonly twice: number;
  readonly missing: number;
  /** Of the frozen process, and of the one that completed the run. */
  readonly codes: string;
  readonly silentMs: number;
  readonly detail: string;
}

const envOf = (moment: Moment) => freezing(moment, `echo step${moment.step} `);

function doneOf({ made }: Team): Pick<Round, 'twice' | 'missing'> {
  const times = Array.from({ length: STEPS }, (_, n) => made().filter((name) => name === `step${n}`).length);
  return { twice: times.filter((n) => n > 1).length, missing: times.filter((n) => n === 0).length };
}

/** Awakens the frozen process once another one has completed the run; `when`: undefined where it ended before. */
async function roundOf(
  team: Team,
  when: string | undefined,
  { frozen, other, beginEnd }: { frozen: Watched; other: Watched; beginEnd?: () => void },
): Promise<Round> {
  const completed = (await other.running).exitCode;
  beginEnd?.();
  const { code, late } = await awaken(frozen, () => team.made().length);
  return {
    when: when ?? 'ended before',
    late,
    ...doneOf(team),
    codes: `${code} and ${completed}`,
    silentMs: other.longestMs(),
    detail: `${frozen.text()}\n--- who completed it:\n${other.text()}`,
  };
}

async function controllerFrozen(trial: Trial, sshd: Sshd, moment: Moment): Promise<Round> {
  const team = await newTeam(trial, PLAYBOOK, OVER_SSH(sshd));
  try {
    const frozen = team.start(team.a, ['apply', 'test.yaml', '-y'], envOf(moment));
    const wasFrozen = await freeze(frozen, moment, new RegExp(` a {2}step${moment.step}: `));
    const other = team.start(team.b, ['resume', '-y', '--take-over']);
    return await roundOf(team, wasFrozen ? moment.when : undefined, { frozen, other });
  } finally {
    await team.end();
  }
}

async function workerFrozen(trial: Trial, sshd: Sshd, moment: Moment): Promise<Round> {
  const team = await newTeam(trial, PLAYBOOK, OVER_SSH(sshd, ', zone: berlin'));
  try {
    const frozen = await startWorker(team, envOf(moment));
    const other = team.start(team.a, ['apply', 'test.yaml', '-y']);
    const wasFrozen = await freeze(frozen, moment, new RegExp(`/step${moment.step}@`));
    await startWorker(team);
    const beginEnd = (): void => void frozen.running.kill('SIGTERM');
    return await roundOf(team, wasFrozen ? moment.when : undefined, { frozen, other, beginEnd });
  } finally {
    await team.end();
  }
}

function report({ line, rule }: Trial, name: string, rounds: readonly Round[], codes: string): void {
  const sum = (of: (round: Round) => number): number => rounds.reduce((total, round) => total + of(round), 0);
  const longest = Math.max(...rounds.map(({ silentMs }) => silentMs));
  line(`${name}: ${rounds.length} freezes (${counts(rounds.map(({ when }) => when))})`);
  line(`  exit codes, frozen and completing: ${counts(rounds.map((round) => round.codes))}`);
  line(
    `  effects after the awakening ${sum(({ late }) => late)}, steps done twice ${sum(({ twice }) => twice)}, not done ${sum(({ missing }) => missing)}; ${(longest / 1000).toFixed(1)} s without output at most`,
  );
  rule(
    `${name}: no effect on the host under an old fence`,
    rounds.every(({ late }) => late === 0),
  );
  rule(
    `${name}: each step is done once`,
    rounds.every(({ twice, missing }) => twice + missing === 0),
  );
  rule(
    `${name}: exit codes are ${codes}`,
    rounds.every((round) => round.codes === codes || round.when === 'ended before'),
  );
  rule(`${name}: who completes the run is never silent for more than 30 s`, longest <= MOST_SILENT_MS);
  for (const [n, round] of rounds.entries())
    if (round.late + round.twice + round.missing > 0 || round.codes !== codes)
      line(
        `round ${n}, ${round.when}: ${round.late} late, ${round.twice} twice, ${round.missing} missing\n${round.detail.replaceAll(/^/gm, '  | ')}`,
      );
}

await runTrial(50, async (trial) => {
  const sshd = await startSshd(['MaxStartups 100']);
  trial.atEnd(() => sshd.stop());
  const moments = Array.from({ length: 2 * trial.rounds }, () => momentOf(trial, ANY_MS));
  const at = (n: number): Moment => moments[n] ?? momentOf(trial, ANY_MS);
  const ofControllers = await inRounds(trial.rounds, AT_ONCE, (n) => controllerFrozen(trial, sshd, at(n)));
  report(trial, 'controller', ofControllers, '5 and 0');
  const ofWorkers = await inRounds(trial.rounds, AT_ONCE, (n) => workerFrozen(trial, sshd, at(trial.rounds + n)));
  report(trial, 'worker', ofWorkers, '0 and 0');
});
