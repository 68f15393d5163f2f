import type { AssessedComponent } from '../../terms/assessment.js';
import type { Change } from '../../terms/change.js';
import type { Recorded } from '../../terms/event.js';
import { taskKey } from '../../terms/task.js';
import { getOrCreate } from '../../lib/get-or-create.js';
import { groupBy } from '../../lib/group-by.js';
import { isRestart, longestOnAHost, mostAtOnce, type HostSpan } from '../plan/downtime.js';
import { predictedOn } from '../plan/predicted.js';
import { tally } from '../tally.js';
import { phaseOf, type Span } from '../timeline.js';
import type { Outage, Service } from './document.js';

/** A service as a run had it: when it was down where, from the start of the run. */
export interface MeasuredService extends Service {
  readonly spans: readonly HostSpan[];
}

/** When plays of each phase ran. A resume makes a gap. */
export function measuredPhases(events: readonly Recorded[]): ReadonlyMap<string, readonly Span[]> {
  const startMs = events[0]?.atMs ?? 0;
  const phaseOfPlay = new Map(tally(events).plays.map((play) => [play.path, phaseOf(play)]));
  const open = new Map<string, number>();
  const spans = new Map<string, Span[]>();
  const close = (play: string, toMs: number): void => {
    const fromMs = open.get(play);
    open.delete(play);
    const all = getOrCreate(spans, phaseOfPlay.get(play) ?? play, () => []);
    if (fromMs !== undefined) append(all, { fromMs, toMs: toMs - startMs });
  };
  for (const [i, { event, atMs }] of events.entries()) {
    if (event.e === 'run-started') for (const play of [...open.keys()]) close(play, events[i - 1]?.atMs ?? atMs);
    if (event.e === 'play-started') open.set(event.play, atMs - startMs);
    if (event.e === 'play-ended') close(event.play, atMs);
    if (event.e === 'run-ended') for (const play of [...open.keys()]) close(play, atMs);
  }
  for (const play of [...open.keys()]) close(play, events.at(-1)?.atMs ?? startMs);
  return spans;
}

/** One play begins as the one before it ends: they are one span. */
function append(spans: Span[], span: Span): void {
  const last = spans.at(-1);
  if (last !== undefined && span.fromMs <= last.toMs)
    spans[spans.length - 1] = { ...last, toMs: Math.max(last.toMs, span.toMs) };
  else spans.push(span);
}

/** When each service with a title was down: from the action that stopped it to the end of the step that started it. */
export function measuredServices(
  events: readonly Recorded[],
  components: readonly AssessedComponent[],
): readonly MeasuredService[] {
  const { from } = tally(events);
  return components.flatMap(({ name, title, unit, note }) => {
    const { spans, open } = title === undefined || unit === undefined ? NONE : outagesOf(events, unit);
    if (title === undefined || spans.length === 0) return [];
    const everywhere = [...from.values()].filter((versions) => (versions[name] ?? null) !== null).length;
    const isDown = mostAtOnce(spans) >= Math.max(1, everywhere);
    return [
      {
        title,
        ...(note === undefined ? {} : { note }),
        is: spans.every((span) => span.isRestart) ? 'restart' : isDown ? 'down' : 'in turn',
        hosts: [...new Set(spans.map(({ host }) => host))],
        measuredMs: longestOnAHost(spans),
        staysDown: open,
        spans,
      } satisfies MeasuredService,
    ];
  });
}

/** From when to when each service was down on each host: spans that touch are one. */
export function outagesIn(services: readonly MeasuredService[], startMs: number): readonly Outage[] {
  return services.flatMap(({ title, note, spans, staysDown }) =>
    // By name: hosts that are stopped side by side have no order.
    groupBy(
      spans.toSorted((a, b) => (a.host < b.host ? -1 : 1)),
      ({ host }) => host,
    ).flatMap((ofHost): readonly Outage[] => {
      const merged: Span[] = [];
      for (const { fromMs, toMs } of ofHost.toSorted((a, b) => a.fromMs - b.fromMs)) append(merged, { fromMs, toMs });
      const { host } = ofHost[0];
      return merged.map(({ fromMs, toMs }, i) => ({
        ...{ title, host, fromMs: startMs + fromMs, toMs: startMs + toMs },
        ...(note === undefined ? {} : { note }),
        isOpen: i === merged.length - 1 && staysDown.includes(host),
      }));
    }),
  );
}

interface Outages {
  readonly spans: readonly (HostSpan & { readonly isRestart: boolean })[];
  /** Hosts on which it is down at the last event. */
  readonly open: readonly string[];
}
const NONE: Outages = { spans: [], open: [] };

function outagesOf(events: readonly Recorded[], unit: string): Outages {
  const startMs = events[0]?.atMs ?? 0;
  const begun = new Map<string, { readonly change: Change; readonly atMs: number }>();
  const down = new Map<string, number>();
  const spans: (HostSpan & { isRestart: boolean })[] = [];
  for (const { event, atMs } of events) {
    if (event.e === 'intent') {
      begun.set(taskKey(event.task), {
        change: event.change,
        atMs: begun.get(taskKey(event.task))?.atMs ?? atMs - startMs,
      });
      for (const { host, isUp } of statesOf(event.change, unit))
        if (!isUp && !down.has(host)) down.set(host, atMs - startMs);
    }
    if (event.e !== 'settled') continue;
    const mine = begun.get(taskKey(event.task));
    begun.delete(taskKey(event.task));
    if (mine === undefined || event.as !== 'done') continue;
    for (const { host, isUp } of statesOf(mine.change, unit)) {
      const fromMs = down.get(host);
      if (!isUp || (fromMs === undefined && !isRestart(mine))) continue;
      spans.push({ host, fromMs: fromMs ?? mine.atMs, toMs: atMs - startMs, isRestart: fromMs === undefined });
      down.delete(host);
    }
  }
  const endMs = (events.at(-1)?.atMs ?? startMs) - startMs;
  const open = [...down].map(([host, fromMs]) => ({ host, fromMs, toMs: endMs, isRestart: false }));
  return { spans: [...spans, ...open], open: [...down.keys()] };
}

const statesOf = (change: Change, unit: string): readonly { readonly host: string; readonly isUp: boolean }[] =>
  predictedOn(change, 'service').flatMap(({ host, name, value }) =>
    name === unit ? [{ host, isUp: value['active'] === 'active' }] : [],
  );
