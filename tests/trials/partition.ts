// `npx tsx tests/trials/partition.ts [--rounds 20] [--seed 1]`: the link of a worker, then that of a controller, to the servers of the store is cut
// at a seeded moment for a seeded time, and restored. While the worker's link is cut another worker is there. The host is a real sshd with a
// lease. Needs root.
import { setTimeout as sleep } from 'node:timers/promises';
import { startSshd, type Sshd } from '../system/sshd.js';
import { MOST_SILENT_MS, PLAYBOOK, STEPS } from './moments.js';
import { openLinkTo } from './relay.js';
import { newTeam, OVER_SSH, startWorker, until } from './team.js';
import { counts, inRounds, runTrial, type Trial } from './trial.js';

const AT_ONCE = 3;
/** A step takes about so long. */
const ANY_MS = 100;
/** Shorter and longer than the time after which a worker is given up. */
const LONGEST_CUT_MS = 40_000;
const SETTLE_MS = 500;

interface Moment {
  readonly step: number;
  readonly afterMs: number;
  readonly forMs: number;
}

interface Round {
  /** Of the run, and of its resume where it stopped. */
  readonly codes: string;
  /** Done on the host after the run had ended. */
  readonly late: number;
  readonly made: readonly string[];
  readonly silentMs: number;
  readonly text: string;
}

async function once(trial: Trial, sshd: Sshd, whose: 'worker' | 'controller', { step, afterMs, forMs }: Moment) {
  const link = await openLinkTo(trial.cluster.servers);
  const endLink = trial.atEnd(() => link.end());
  const team = await newTeam(trial, PLAYBOOK, OVER_SSH(sshd, ', zone: berlin'));
  const linked = { RUNBOOK_STORE: team.env.RUNBOOK_STORE.replace(trial.cluster.servers.join(), link.servers.join()) };
  try {
    const worker = await startWorker(team, whose === 'worker' ? linked : {});
    const controller = team.start(team.a, ['apply', 'test.yaml', '-y'], whose === 'controller' ? linked : {});
    await until(() => worker.text().includes(`/step${step}@`), controller);
    await sleep(afterMs);
    link.cut();
    const restored = sleep(forMs).then(() => link.restore());
    if (whose === 'worker') await startWorker(team);
    const { exitCode } = await controller.running;
    const done = team.made().length;
    await restored;
    const resumed =
      exitCode === 0 ? undefined : (await team.run(team.a, ['resume', '-y', '--lock-wait', '1m'])).exitCode;
    const late = resumed === undefined ? () => team.made().length - done : () => 0;
    worker.running.kill('SIGTERM');
    await worker.running;
    await sleep(SETTLE_MS);
    return {
      codes: resumed === undefined ? `${exitCode}` : `${exitCode}, resumed ${resumed}`,
      late: late(),
      made: team.made(),
      silentMs: controller.longestMs(),
      text: controller.text(),
    };
  } finally {
    await team.end();
    await endLink();
  }
}

function report({ line, rule }: Trial, name: string, rounds: readonly Round[]): void {
  const late = rounds.reduce((sum, round) => sum + round.late, 0);
  const twice = rounds.reduce((sum, { made }) => sum + made.length - new Set(made).size, 0);
  const missing = rounds.reduce((sum, { made }) => sum + STEPS - new Set(made).size, 0);
  const longest = Math.max(...rounds.map(({ silentMs }) => silentMs));
  line(`${name}: link cut ${rounds.length} times; exit codes ${counts(rounds.map(({ codes }) => codes))}`);
  line(
    `  effects after the end ${late}, steps done twice ${twice}, not done ${missing}; ${(longest / 1000).toFixed(1)} s without output at most`,
  );
  rule(
    `${name}: the run ends, by itself or resumed; each step is done once`,
    late + twice + missing === 0 && rounds.every(({ codes }) => codes === '0' || codes.endsWith(' resumed 0')),
  );
  rule(`${name}: the controller is never silent for more than 30 s`, longest <= MOST_SILENT_MS);
  for (const [n, { codes, made, silentMs, text }] of rounds.entries())
    if (codes !== '0' || made.length !== STEPS || silentMs > MOST_SILENT_MS)
      line(`round ${n}: exit code ${codes}, ${made.length} done\n${text.replaceAll(/^/gm, '  | ')}`);
}

await runTrial(20, async (trial) => {
  const sshd = await startSshd(['MaxStartups 100']);
  trial.atEnd(() => sshd.stop());
  for (const whose of ['worker', 'controller'] as const) {
    const moments = Array.from({ length: trial.rounds }, () => ({
      step: trial.pick(STEPS - 1),
      afterMs: trial.pick(ANY_MS),
      forMs: trial.pick(LONGEST_CUT_MS),
    }));
    const at = (n: number): Moment => moments[n] ?? { step: 0, afterMs: 0, forMs: 0 };
    report(trial, whose, await inRounds(trial.rounds, AT_ONCE, (n) => once(trial, sshd, whose, at(n))));
  }
});
