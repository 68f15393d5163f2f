// `npx tsx tests/trials/hour.ts [--minutes 60]`: all three servers are killed in the middle of runs, and started again after an hour.
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { onePlay } from '../cli/cli-harness.js';
import { counted, newTeam, slow, startWorker, until, ZONE_OF, type Team, type Watched } from './team.js';
import { MOST_SILENT_MS } from './moments.js';
import { counts, runTrial, type Trial } from './trial.js';

const STEPS = ['before', 'slow', 'after', 'last'];
const PLAYBOOK = onePlay(STEPS.map((name) => (name === 'slow' ? slow(name) : counted(name))).join(''));
const NODES = [0, 1, 2];
/** For the servers to elect their leaders, and the runs to end. */
const AFTER_MS = 5 * 60_000;

/** A run in its step in the middle. */
interface Course {
  readonly name: string;
  readonly team: Team;
  readonly controller: Watched;
  /** Others that are there all the time. */
  readonly beside: Readonly<Record<string, Watched>>;
}

async function begin(trial: Trial, name: string, flags: readonly string[], hasZone = false): Promise<Course> {
  const team = await newTeam(trial, PLAYBOOK, hasZone ? ZONE_OF : undefined);
  const beside: Record<string, Watched> = hasZone ? { worker: await startWorker(team) } : {};
  const controller = team.start(team.a, ['apply', 'test.yaml', '-y', ...flags]);
  await until(() => team.made().includes('before'), controller);
  if (name === 'plain') {
    const follower = team.start(team.b, ['attach', '--plain']);
    await until(() => follower.text().includes('before'), follower);
    beside['follower'] = follower;
  }
  return { name, team, controller, beside };
}

/** What is in the folder of the controller, and what the store gives to a machine that has nothing of the run. */
function compare({ team: { a, b } }: Course): {
  readonly records: number;
  readonly hasGap: boolean;
  readonly isEqual: boolean;
} {
  const [run = ''] = a.runs();
  const here = a.journalOf(run);
  const there = b.runs().includes(run) ? b.journalOf(run) : [];
  const hasGap = here.some(({ seq }, n) => seq !== (here[0]?.seq ?? 0) + n);
  return { records: here.length, hasGap, isEqual: JSON.stringify(here) === JSON.stringify(there) };
}

async function report(trial: Trial, course: Course): Promise<void> {
  const { name, team, controller, beside } = course;
  const isOver = controller.hasEnded();
  const code = isOver ? (await controller.running).exitCode : undefined;
  const longest = (of: Watched): string => `${(of.longestMs() / 1000).toFixed(1)} s without output at most`;
  trial.line(`${name}: controller ${isOver ? `exit code ${code}` : 'still runs'}, ${longest(controller)}`);
  for (const [who, each] of Object.entries(beside))
    trial.line(
      `  ${who}: ${each.hasEnded() ? `exit code ${(await each.running).exitCode}` : 'still runs'}, ${longest(each)}`,
    );
  trial.rule(`${name}: the controller was never silent for more than 30 s`, controller.longestMs() <= MOST_SILENT_MS);
  trial.rule(
    `${name}: the run ended by itself, or its end names what is pending`,
    isOver && (code === 0 || /runbook resume/.test(controller.text())),
  );
  if (isOver && code !== 0) {
    trial.line(controller.text().split('\n').slice(-25).join('\n').replaceAll(/^/gm, '  | '));
    const resumed = await team.run(team.a, ['resume', '-y', '--lock-wait', '1m']);
    trial.line(`  resume: exit code ${resumed.exitCode}`);
  }
  await team.run(team.b, ['runs']);
  const { records, hasGap, isEqual } = compare(course);
  trial.line(`  ${records} records; steps done: ${counts(team.made())}`);
  trial.rule(`${name}: each step was done once`, team.made().join() === STEPS.join());
  trial.rule(`${name}: records have numbers without gaps`, !hasGap);
  trial.rule(`${name}: store and folder are equal`, isEqual);
}

await runTrial(1, async (trial) => {
  const courses = [
    await begin(trial, 'plain', []),
    await begin(trial, 'json', ['--json']),
    await begin(trial, 'zone', [], true),
  ];
  const ofAll = courses.map(({ controller }) => controller);
  for (const node of NODES) await trial.cluster.kill(node);
  trial.line(`${new Date().toISOString()} all servers are killed; started again after ${trial.minutes} min`);
  for (const { team } of courses) writeFileSync(team.host.path('go'), '');
  await sleep(trial.minutes * 60_000);
  NODES.forEach((node) => trial.cluster.start(node));
  trial.line(
    `${new Date().toISOString()} started again; ${ofAll.filter((each) => each.hasEnded()).length} of ${ofAll.length} controllers have ended before`,
  );
  const startMs = performance.now();
  await Promise.race([Promise.all(ofAll.map(({ running }) => running)), sleep(AFTER_MS, undefined, { ref: false })]);
  trial.line(`${((performance.now() - startMs) / 1000).toFixed(1)} s later the last of them ended`);
  for (const course of courses) await report(trial, course);
});
