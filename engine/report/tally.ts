import type { Change } from '../terms/change.js';
import type { Event, Recorded } from '../terms/event.js';
import { keyOf, type Subject } from '../terms/subject.js';
import { taskKey } from '../terms/task.js';

/** One task as a plan or a run tells of it. */
export interface Line {
  readonly key: string;
  readonly host: string;
  readonly name: string;
  readonly spec?: string;
  readonly is: 'change' | 'ok' | 'undecided' | 'waiting' | 'skipped' | 'failed' | 'blocked' | 'unreachable';
  readonly because: string;
  readonly hint?: string;
  readonly change?: Change;
}

export interface PlayTally {
  readonly path: string;
  readonly name: string;
  readonly within: readonly string[];
  readonly spec?: string;
  readonly serial: boolean;
  readonly skipped?: string;
  /** Hosts in the order taken. */
  readonly hosts: string[];
  readonly lines: Line[];
}

export interface Tally {
  readonly started?: Extract<Event, { e: 'run-started' }>;
  readonly ended?: Extract<Event, { e: 'run-ended' }>;
  readonly plays: readonly PlayTally[];
  readonly from: ReadonlyMap<string, Readonly<Record<string, string | null>>>;
  readonly owed: readonly Extract<Event, { e: 'owed' }>[];
  readonly warnings: readonly string[];
  readonly lost: ReadonlyMap<string, { reason: string; hint?: string }>;
  readonly differs: number;
}

export const hostName = (s: Subject): string => ('host' in s ? s.host : 'controller' in s ? 'controller' : keyOf(s));

/** Sorts a run's events into plays and their tasks: what every view is made from. */
export function tally(events: readonly Recorded[]): Tally {
  const plays = new Map<string, PlayTally>();
  const lines = new Map<string, { play: PlayTally; line: Line }>();
  const result = { from: new Map<string, Readonly<Record<string, string | null>>>(), owed: [] as Extract<Event, { e: 'owed' }>[], warnings: [] as string[], lost: new Map<string, { reason: string; hint?: string }>() };
  let started: Tally['started'];
  let ended: Tally['ended'];
  let differs = 0;

  const put = (task: { readonly step: string; readonly on: Subject }, line: Omit<Line, 'key' | 'host'>): void => {
    const key = taskKey(task);
    const play = playOf(plays, task.step);
    const before = lines.get(key)?.line;
    const merged: Line = { key, host: hostName(task.on), ...(before?.change === undefined ? {} : { change: before.change }), ...line, name: line.name };
    const at = play.lines.findIndex((l) => l.key === key);
    if (at === -1) play.lines.push(merged);
    else play.lines[at] = merged;
    lines.set(key, { play, line: merged });
  };

  for (const { event } of events) {
    switch (event.e) {
      case 'run-started':
        started ??= event;
        ended = undefined;
        break;
      case 'run-ended':
        ended = event;
        break;
      case 'from':
        result.from.set(event.host, event.versions);
        break;
      case 'play-started':
        if (!plays.has(event.play)) plays.set(event.play, { path: event.play, name: event.name, within: event.within, ...(event.spec === undefined ? {} : { spec: event.spec }), serial: event.serial, hosts: event.serial ? [] : [...event.hosts], lines: [] });
        break;
      case 'play-skipped':
        plays.set(event.play, { path: event.play, name: event.name, within: event.within, serial: false, skipped: event.because, hosts: [], lines: [] });
        break;
      case 'host-chosen': {
        const play = plays.get(event.play);
        if (play !== undefined && !play.hosts.includes(event.host)) play.hosts.push(event.host);
        break;
      }
      case 'host-lost':
        result.lost.set(event.host, { reason: event.reason, ...(event.hint === undefined ? {} : { hint: event.hint }) });
        break;
      case 'checked':
        put(event.task, { name: event.name, ...specOf(event), is: event.verdict, because: event.because, ...hintOf(event), ...(event.change === undefined ? {} : { change: event.change }) });
        break;
      case 'undecided':
        put(event.task, { name: event.name, ...specOf(event), is: 'undecided', because: event.because });
        break;
      case 'task-skipped':
        put(event.task, { name: event.name, is: 'skipped', because: event.because });
        break;
      case 'intent':
        put(event.task, { name: event.name, ...specOf(event), is: 'change', because: event.change.summary, change: event.change });
        break;
      case 'settled':
        put(event.task, { name: event.name, ...specOf(event), is: event.as === 'done' ? 'change' : event.as, because: event.reason ?? '', ...hintOf(event) });
        break;
      case 'owed':
        result.owed.push(event);
        break;
      case 'warned':
        result.warnings.push(event.text);
        break;
      case 'observed':
        differs += event.differs.length;
        break;
      default:
        break;
    }
  }
  return { ...(started === undefined ? {} : { started }), ...(ended === undefined ? {} : { ended }), plays: [...plays.values()], ...result, differs };
}

const specOf = (e: { readonly spec?: string }): { spec?: string } => (e.spec === undefined ? {} : { spec: e.spec });
const hintOf = (e: { readonly hint?: string }): { hint?: string } => (e.hint === undefined ? {} : { hint: e.hint });

/** The play a step's path belongs to; tasks outside any play (what is given back at the end) stand under a heading of their own. */
function playOf(plays: Map<string, PlayTally>, step: string): PlayTally {
  if (step.endsWith(' (given back)')) {
    const end = plays.get('(end)') ?? { path: '(end)', name: 'Temporary changes, given back', within: [], serial: false, hosts: [], lines: [] };
    plays.set('(end)', end);
    return end;
  }
  const path = [...plays.keys()].findLast((p) => step.startsWith(`${p}/`)) ?? '';
  const found = plays.get(path);
  if (found !== undefined) return found;
  const made: PlayTally = { path, name: 'Steps', within: [], serial: false, hosts: [], lines: [] };
  plays.set(path, made);
  return made;
}
