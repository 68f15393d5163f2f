import type { Change, Touch } from '../../terms/change.js';
import type { Event, Recorded } from '../../terms/event.js';
import type { ComponentNow } from '../../terms/state-now.js';
import { taskKey } from '../../terms/task.js';
import { hostsThatFailed } from './causes.js';
import { predictedOn } from '../plan/predicted.js';

type Intent = Extract<Event, { e: 'intent' }>;

/** A component that a failure concerns. */
export interface FailedComponent {
  readonly host: string;
  readonly component: string;
  /** The run itself had stopped its service: that it is down is no finding. */
  readonly stoppedByRun: boolean;
}

/**
 * Whose package or service the failed step changed; of a step that changes none (a wait, a check), whose service the same host's last
 * action in the same play concerned.
 */
export function failedComponents(
  events: readonly Recorded[],
  components: readonly ComponentNow[],
): readonly FailedComponent[] {
  const all = events.map(({ event }) => event);
  return hostsThatFailed(events).flatMap((host) => {
    const failed = all.findLast((e) => e.e === 'settled' && e.as !== 'ok' && e.as !== 'done' && isOn(e, host));
    if (failed?.e !== 'settled') return [];
    const acts = all.filter((e): e is Intent => e.e === 'intent' && isOn(e, host));
    const own = acts.findLast((e) => taskKey(e.task) === taskKey(failed.task));
    const here = components.filter((c) => c.host === host);
    const changed = own === undefined ? [] : here.filter((c) => concerns(own.change, c));
    const concerned = changed.length > 0 ? changed : lastOf(acts.filter(inPlayOf(all, failed.task.step)), here);
    return concerned.map(({ component, unit }) => ({ host, component, stoppedByRun: isStopped(acts, unit) }));
  });
}

function lastOf(acts: readonly Intent[], here: readonly ComponentNow[]): readonly ComponentNow[] {
  const last = acts.findLast(({ change }) => here.some((c) => concerns(change, c)));
  return last === undefined ? [] : here.filter((c) => concerns(last.change, c));
}

/** Whether an action belongs to the play of this step. */
function inPlayOf(all: readonly Event[], step: string): (intent: Intent) => boolean {
  const play = all.findLast((e) => e.e === 'play-started' && step.startsWith(`${e.play}/`));
  const path = play?.e === 'play-started' ? play.play : '';
  return ({ task }) => task.step.startsWith(`${path}/`);
}

const isOn = (e: Extract<Event, { readonly task: unknown }>, host: string): boolean =>
  'host' in e.task.on && e.task.on.host === host;

const concerns = ({ touches }: Change, component: ComponentNow): boolean =>
  touches.some((touch) => isOf(touch, component));

const isOf = (touch: Touch, { host, name, unit }: ComponentNow): boolean =>
  'fact' in touch &&
  'host' in touch.of &&
  touch.of.host === host &&
  ((touch.fact === 'service' && touch.key === unit) || (touch.fact === 'package' && touch.key === name));

/** By what the last action was to make of its service. */
const isStopped = (acts: readonly Intent[], unit: string): boolean =>
  acts.flatMap(({ change }) => predictedOn(change, 'service')).findLast(({ name }) => name === unit)?.value[
    'active'
  ] === 'inactive';
