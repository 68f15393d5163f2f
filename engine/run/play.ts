import pLimit from 'p-limit';
import { evaluate } from '../language/condition.js';
import { batches } from '../language/serial.js';
import { isSettledWell } from '../journal/state.js';
import type { Condition, Truth } from '../terms/condition.js';
import type { Need } from '../terms/fact.js';
import type { Play, Step } from '../terms/playbook.js';
import { taskKey } from '../terms/task.js';
import { bind, renderArgs, taskOf } from './bind.js';
import { holdInvariants } from './invariants.js';
import { holds } from './obligations.js';
import type { Run } from './run.js';
import { hostsOf, scopeOf, type Standing } from './scope.js';
import type { TaskEnd } from './settle.js';
import { runTask } from './task.js';
import { missingOf, think } from './think.js';

/** How a play ended. `stopped`: a person asked to stop. */
export type PlayEnd =
  | { readonly is: 'done' }
  | { readonly is: 'stopped' }
  | { readonly is: 'failed' | 'unreachable'; readonly because: string; readonly goOn: boolean };

/** Steps this far ahead have their facts read in the same round trip. */
const READ_AHEAD = 25;
/** Facts cheap enough to read before it is certain that they are needed. */
const CHEAP: ReadonlySet<string> = new Set(['file', 'content', 'package', 'service', 'port', 'system', 'disk']);

export async function runPlay(run: Run, play: Play): Promise<PlayEnd> {
  const begun = run.journal.state.plays.get(play.path);
  if (begun?.ended === true) return { is: 'done' };
  const steps = play.steps.filter((step) => isTagged(run, play, step));
  if (steps.length === 0) return { is: 'done' };
  const hosts = await selectNow(run, play);
  const heading = { play: play.path, name: play.name, within: play.within };
  if (hosts.length === 0 && play.hosts !== 'controller') {
    run.journal.emit({ e: 'play-skipped', ...heading, because: 'no host is selected' });
    return { is: 'done' };
  }
  const goal = begun === undefined ? await goalMet(run, play, hosts) : undefined;
  if (goal !== undefined) {
    run.journal.emit({ e: 'play-skipped', ...heading, because: goal });
    return { is: 'done' };
  }
  run.journal.emit({
    e: 'play-started',
    ...heading,
    ...(play.spec === undefined ? {} : { spec: play.spec }),
    hosts,
    serial: play.serial !== undefined,
  });
  const end =
    play.serial === undefined ? await runBatch(run, play, steps, hosts) : await runSerial(run, play, steps, hosts);
  if (end.is === 'done') run.journal.emit({ e: 'play-ended', play: play.path });
  return end;
}

const isTagged = (run: Run, play: Play, step: Step): boolean => {
  const tags = [...play.tags, ...step.tags];
  const { tags: only, skipTags } = run.options;
  if (skipTags !== undefined && tags.some((t) => skipTags.has(t))) return false;
  return only === undefined || tags.includes('always') || tags.some((t) => only.has(t));
};

/** Which hosts, now: a selector may hang on a fact (the elected node). Hosts that were lost are left out. */
async function selectNow(run: Run, play: Play): Promise<readonly string[]> {
  const chosen = await think(run, (peek) => hostsOf(run, play, peek));
  return chosen.filter((h) => !run.journal.state.lost.has(h));
}

/** Why a second run may skip this play; undefined when it must run: its goal is not met, or something temporary is still in place. */
async function goalMet(run: Run, play: Play, hosts: readonly string[]): Promise<string | undefined> {
  const { unlessAll } = play;
  if (unlessAll === undefined || play.closing) return undefined;
  const truths = await Promise.all(
    (hosts.length === 0 ? [undefined] : hosts).map((host) =>
      truthOf(run, unlessAll, { play, ...(host === undefined ? {} : { host }) }),
    ),
  );
  if (truths.some((t) => t.is !== true)) return undefined;
  for (const step of play.steps) {
    const { temporary } = step;
    if (temporary === undefined) continue;
    for (const host of hosts) {
      const standing: Standing = { play, host };
      const wanted = await think(run, (peek) => ({
        bound: renderArgs(run, temporary.module, temporary.args, scopeOf(run, { ...standing, step }, peek, [])),
        task: taskOf(run, step, standing, peek),
      }));
      if (wanted.bound.is !== 'bound') return undefined;
      if (!(await holds(run, wanted, { module: temporary.module, args: wanted.bound.args, on: wanted.task.on })))
        return undefined;
    }
  }
  return truths[0]?.because ?? 'its goal is met';
}

const truthOf = (run: Run, condition: Condition, standing: Standing): Promise<Truth> =>
  think(run, (peek) => evaluate(condition, scopeOf(run, standing, peek, [])));

/** Host by host (or batch by batch), the one that a fact names last: asked again before each, the host in hand first on resume. */
async function runSerial(run: Run, play: Play, steps: readonly Step[], hosts: readonly string[]): Promise<PlayEnd> {
  const state = () => run.journal.state.plays.get(play.path);
  const sizes = [...batches(hosts.length, play.serial)];
  let remaining = hosts.filter((h) => state()?.left.includes(h) !== true);
  let worst: PlayEnd = { is: 'done' };
  for (const size of sizes) {
    if (remaining.length === 0) break;
    if (run.stopping?.() === true) return { is: 'stopped' };
    run.facts.forgetEndpoints();
    const order = await orderNow(run, play, remaining, state()?.inHand ?? []);
    const batch = order.slice(0, size);
    // A host that an earlier attempt had in hand is away because of us: what holds before a host is taken cannot hold now.
    const inHandBefore = batch.some((h) => state()?.inHand.includes(h) === true);
    const broken = inHandBefore ? undefined : await holdInvariants(run, play, batch);
    if (broken !== undefined) return { is: 'failed', because: broken, goOn: false };
    for (const host of batch) {
      run.inHand.add(host);
      run.journal.emit({ e: 'host-chosen', play: play.path, host });
    }
    const end = await runBatch(run, play, steps, batch);
    for (const host of batch) run.inHand.delete(host);
    if (end.is === 'stopped' || (end.is !== 'done' && !end.goOn)) return end;
    if (end.is === 'done') for (const host of batch) run.journal.emit({ e: 'host-left', play: play.path, host });
    else worst = end;
    remaining = remaining.filter((h) => !batch.includes(h));
  }
  return worst;
}

async function orderNow(
  run: Run,
  play: Play,
  remaining: readonly string[],
  inHand: readonly string[],
): Promise<readonly string[]> {
  const now = await selectNow(run, play);
  const order = [...now.filter((h) => remaining.includes(h)), ...remaining.filter((h) => !now.includes(h))];
  return [...order.filter((h) => inHand.includes(h)), ...order.filter((h) => !inHand.includes(h))];
}

/** Hosts side by side, each through all steps. A step that runs once is done by whoever comes first; the others wait for it. */
async function runBatch(run: Run, play: Play, steps: readonly Step[], hosts: readonly string[]): Promise<PlayEnd> {
  const once = new Map<string, Promise<TaskEnd>>();
  const limit = pLimit(Math.max(1, run.options.forks));
  const standings: readonly Standing[] = hosts.length === 0 ? [{ play }] : hosts.map((host) => ({ play, host }));
  const ends = await Promise.all(standings.map((standing) => limit(() => runSteps(run, steps, standing, once))));
  if (ends.includes('stopped')) return { is: 'stopped' };
  const bad = standings
    .filter((_, i) => ends[i] === 'failed' || ends[i] === 'unreachable')
    .map((s) => s.host ?? 'the controller');
  if (bad.length === 0) return { is: 'done' };
  const goOn = play.onHostFailure === 'continue';
  const is = ends.includes('failed') ? 'failed' : 'unreachable';
  return {
    is,
    because: `${bad.slice(0, 10).join(', ')}${bad.length > 10 ? ` and ${bad.length - 10} more` : ''} ${is} in "${play.name}"`,
    goOn,
  };
}

async function runSteps(
  run: Run,
  steps: readonly Step[],
  standing: Standing,
  once: Map<string, Promise<TaskEnd>>,
): Promise<TaskEnd | 'stopped'> {
  for (const [index, step] of steps.entries()) {
    if (run.stopping?.() === true) return 'stopped';
    const ahead = (): readonly Need[] => readAhead(run, steps.slice(index + 1, index + READ_AHEAD), standing);
    const start = async (): Promise<TaskEnd> =>
      (await isWanted(run, step, standing)) ? runTask(run, step, standing, ahead) : 'well';
    const end = await (step.runOnce ? shared(once, step.path, () => doneElsewhere(run, step) ?? start()) : start());
    if (end !== 'well') return end;
  }
  return 'well';
}

/** A person who goes step by step may leave one out; what is settled already is not asked about. */
async function isWanted(run: Run, step: Step, standing: Standing): Promise<boolean> {
  if (run.mayBegin === undefined) return true;
  const task = await think(run, (peek) => taskOf(run, step, standing, peek));
  if (isSettledWell(run.journal.state.tasks.get(taskKey(task))) || (await run.mayBegin(step))) return true;
  run.journal.emit({ e: 'task-skipped', task, name: step.name, because: 'you left it out' });
  return false;
}

function shared(once: Map<string, Promise<TaskEnd>>, key: string, start: () => Promise<TaskEnd>): Promise<TaskEnd> {
  const running = once.get(key) ?? start();
  once.set(key, running);
  return running;
}

/** On resume a step that runs once may have been done on another host than the one that comes first now. */
function doneElsewhere(run: Run, step: Step): Promise<TaskEnd> | undefined {
  for (const [key, state] of run.journal.state.tasks)
    if (key.startsWith(`${step.path}@`) && isSettledWell(state)) return Promise.resolve('well');
  return undefined;
}

/** The cheap facts of this host that the coming steps will ask for, as far as their arguments are known already. */
function readAhead(run: Run, steps: readonly Step[], standing: Standing): readonly Need[] {
  const { host } = standing;
  if (host === undefined) return [];
  const needs = steps.flatMap((step) =>
    missingOf(run, (peek) => {
      const bound = bind(run, step, standing, peek);
      const module = run.modules.get(step.module);
      if (bound.is !== 'bound' || module === undefined) return;
      const at = { task: taskOf(run, step, standing, peek), timeMs: 0 };
      for (const ref of Object.values(module.needs(bound.args, at))) peek(ref);
    }),
  );
  return needs.filter((n) => CHEAP.has(n.fact) && 'host' in n.of && n.of.host === host);
}
