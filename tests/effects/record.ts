import type { Project } from '../../engine/language/project.js';
import { sha256 } from '../../engine/lib/hash.js';
import type { PlatformState } from '../../engine/model/state.js';
import type { Recorded } from '../../engine/terms/event.js';
import { platformOf, type Scenario } from '../interrupted/scenarios.js';
import { endState } from '../run/end-state.js';
import { runOn, type Around } from '../run/platform-bench.js';
import { observing, PASSING, type Effects } from './observe.js';

/** What one run did. Two recordings are compared by situation, stop and way. */
export interface Recording {
  readonly situation: string;
  /** The platform as it was at the stop, by its digest: titles of steps may change. Empty: not stopped. */
  readonly stop: string;
  /** The last step before the stop, for people. */
  readonly after: string;
  readonly way: 'whole' | 'resumed' | 'applied again';
  readonly end: string;
  readonly effects: Effects;
  readonly left: string;
}

interface Stop {
  readonly digest: string;
  readonly after: string;
  readonly state: PlatformState;
  readonly past: readonly Recorded[];
}

const ANSWER = 'yes';

/** Of the platform, whatever it is about to become: a unit that starts counts as one that runs. */
const digestOf = (state: PlatformState): string =>
  sha256(
    JSON.stringify(endState(state, PASSING))
      .replaceAll('activating', 'active')
      .replace(/ \d+ of /g, ' of '),
  ).slice(0, 16);

/** The whole upgrade, then the upgrade stopped after every nth step that changed something and gone on with in both ways. */
export async function* recordingsOf(shipped: Project, situation: Scenario, every: number): AsyncGenerator<Recording> {
  const { project, state } = platformOf(shipped, situation);
  const stops: Stop[] = [];
  const whole = await observed(project, state, { name: 'first', on: stopsAt(state, stops) });
  yield { situation: situation.name, stop: '', after: '', way: 'whole', ...whole };
  for (const [nth, { digest: stop, after, state: at, past }] of stops.entries()) {
    if (nth % every !== 0) continue;
    const about = { situation: situation.name, stop, after };
    yield { ...about, way: 'resumed', ...(await observed(project, structuredClone(at), { past }, 'resume')) };
    yield { ...about, way: 'applied again', ...(await observed(project, structuredClone(at), { name: 'second' })) };
  }
}

async function observed(project: Project, state: PlatformState, around: Around, verb: 'apply' | 'resume' = 'apply') {
  const { effects, actor } = observing(state);
  // One host after the other: which of two hosts is first must not make a stop another one.
  const { end } = await runOn(project, state, verb, { answer: ANSWER, actor, options: { forks: 1 }, ...around });
  return { end, effects, left: digestOf(state) };
}

/** Keeps the platform and the journal after each step that left the platform otherwise than it was. */
function stopsAt(state: PlatformState, stops: Stop[]): (recorded: Recorded) => void {
  const past: Recorded[] = [];
  let last = digestOf(state);
  return (recorded) => {
    past.push(recorded);
    const { event } = recorded;
    if (event.e !== 'settled' || event.as !== 'done') return;
    const digest = digestOf(state);
    if (digest === last) return;
    last = digest;
    const on = 'host' in event.task.on ? ` on ${event.task.on.host}` : '';
    stops.push({ digest, after: `${event.name}${on}`, state: structuredClone(state), past: [...past] });
  };
}
