import { isRestoring } from '../journal/state.js';
import { defined } from '../lib/defined.js';
import type { Change } from '../terms/change.js';
import type { Due, Event, Recorded } from '../terms/event.js';
import { warningText, type Hint, type Warning } from '../terms/hint.js';
import { hostName, type Subject } from '../terms/subject.js';
import { taskKey, type StepPath, type TaskId } from '../terms/task.js';
import type { LostHost } from './lost-hosts.js';
import type { Difference } from './plan/difference.js';

/** One task as a plan or a run tells of it. */
export interface Line {
  readonly key: string;
  readonly step: StepPath;
  readonly host: string;
  readonly name: string;
  readonly spec?: string;
  readonly is:
    'change' | 'begun' | 'ok' | 'undecided' | 'unread' | 'waiting' | 'skipped' | 'failed' | 'blocked' | 'unreachable';
  readonly because: string;
  readonly hint?: Hint;
  /** The operator is asked whether its act was done. */
  readonly unsure?: true;
  readonly change?: Change;
  /** Of one that is known after apply: whether units are active afterwards. */
  readonly leavesActive?: Readonly<Record<string, boolean>>;
  /** Why its conditions hold. */
  readonly due?: readonly Due[];
  /** Decided on this host for all of its play. */
  readonly once?: true;
  /** Facts worth telling that are no failure. */
  readonly warnings?: readonly Warning[];
  /** What read otherwise after the act than predicted. */
  readonly differs?: readonly Difference[];
}

export interface PlayTally {
  readonly path: string;
  readonly name: string;
  readonly within: readonly string[];
  readonly spec?: string;
  readonly serial: boolean;
  readonly skipped?: string;
  readonly pointOfNoReturn?: string;
  readonly safePoint?: true;
  /** Hosts in the order taken. */
  readonly hosts: string[];
  readonly lines: Line[];
}

type Of<E extends Event['e']> = Extract<Event, { readonly e: E }>;
type OfTask = Of<'checked' | 'undecided' | 'task-skipped' | 'intent' | 'settled' | 'observed' | 'found' | 'warned'>;

export type Lost = Omit<LostHost, 'host'>;

export interface Tally {
  readonly started?: Of<'run-started'>;
  readonly ended?: Of<'run-ended'>;
  readonly plays: readonly PlayTally[];
  readonly from: ReadonlyMap<string, Readonly<Record<string, string | null>>>;
  /** Temporary changes that were made, and how many of them are not restored yet. */
  readonly temporary: readonly Of<'temporary-made'>[];
  readonly inPlace: number;
  readonly lost: ReadonlyMap<string, Lost>;
}

/** The heading of what is restored at the end: no play of the playbook. */
export const AT_END = '(end)';

/** All lines of a tally, in the order of the run. */
export const linesOf = ({ plays }: Tally): readonly Line[] => plays.flatMap((play) => play.lines);

/** Sorts a run's events into plays and their tasks: what every view is made from. */
export function tally(events: readonly Recorded[]): Tally {
  const sorter = new Sorter();
  for (const { event } of events) sorter.take(event);
  return sorter.tally();
}

class Sorter {
  readonly #plays = new Map<string, PlayTally>();
  readonly #places = new Map<string, { readonly play: PlayTally; readonly index: number }>();
  readonly #from = new Map<string, Readonly<Record<string, string | null>>>();
  readonly #temporary = new Map<string, Of<'temporary-made'>>();
  readonly #inPlace = new Set<string>();
  readonly #lost = new Map<string, Lost>();
  #started: Of<'run-started'> | undefined;
  #ended: Of<'run-ended'> | undefined;

  tally(): Tally {
    return {
      ...(this.#started === undefined ? {} : { started: this.#started }),
      ...(this.#ended === undefined ? {} : { ended: this.#ended }),
      plays: [...this.#plays.values()],
      from: this.#from,
      temporary: [...this.#temporary.values()],
      inPlace: this.#inPlace.size,
      lost: this.#lost,
    };
  }

  take(event: Event): void {
    switch (event.e) {
      case 'run-started':
        this.#started ??= event;
        this.#ended = undefined;
        // A resume begins with a clean sheet: who was away may be there again.
        this.#lost.clear();
        return;
      case 'run-ended':
        this.#ended = event;
        return;
      case 'from':
        this.#from.set(event.host, event.versions);
        return;
      case 'host-lost':
        this.#lost.set(event.host, event);
        return;
      case 'temporary-made':
        this.#temporary.set(taskKey(event.task), event);
        this.#inPlace.add(taskKey(event.task));
        return;
      case 'temporary-restored':
        this.#inPlace.delete(taskKey(event.task));
        this.#add(event.task, withoutQuestion);
        return;
      case 'play-started':
      case 'play-skipped':
      case 'host-chosen':
        this.#takePlay(event);
        return;
      case 'checked':
      case 'undecided':
      case 'task-skipped':
      case 'intent':
      case 'settled':
      case 'observed':
      case 'found':
      case 'warned':
        this.#takeTask(event);
        return;
      case 'answered':
      case 'block':
      case 'close-started':
      case 'effect':
      case 'host-left':
      case 'item':
      case 'items':
      case 'journal-older':
      case 'loop-started':
      case 'paused':
      case 'play-ended':
      case 'taken-over':
      case 'temporary-restoring':
      case 'temporary-reverted':
      case 'waiting':
        return;
    }
  }

  #takePlay(event: Of<'play-started'> | Of<'play-skipped'> | Of<'host-chosen'>): void {
    const known = this.#plays.get(event.play);
    if (event.e === 'host-chosen') {
      if (known?.hosts.includes(event.host) === false) known.hosts.push(event.host);
      return;
    }
    if (known !== undefined) return;
    const heading = { path: event.play, name: event.name, within: event.within, lines: [] };
    const play: PlayTally =
      event.e === 'play-skipped'
        ? { ...heading, serial: false, skipped: event.because, hosts: [] }
        : {
            ...heading,
            ...specOf(event),
            ...(event.pointOfNoReturn === undefined ? {} : { pointOfNoReturn: event.pointOfNoReturn }),
            ...(event.safePoint === undefined ? {} : { safePoint: event.safePoint }),
            serial: event.serial,
            hosts: event.serial ? [] : [...event.hosts],
          };
    this.#plays.set(event.play, play);
  }

  #takeTask(event: OfTask): void {
    switch (event.e) {
      case 'checked':
        this.#put(event.task, {
          ...named(event),
          is: event.verdict,
          because: event.because,
          ...changeOf(event),
          ...(event.due === undefined ? {} : { due: event.due }),
          ...(event.once === undefined ? {} : { once: event.once }),
        });
        return;
      case 'undecided':
        this.#put(event.task, {
          ...named(event),
          ...{ is: event.unread === undefined ? 'undecided' : 'unread', because: event.because },
          ...defined({ leavesActive: event.leavesActive }),
        });
        return;
      case 'task-skipped':
        this.#put(event.task, { name: event.name, is: 'skipped', because: event.because });
        return;
      case 'intent':
        this.#put(event.task, { ...named(event), is: 'begun', because: event.change.summary, change: event.change });
        return;
      case 'settled': {
        const is = event.as === 'done' || this.#isDoneBefore(event) ? 'change' : event.as;
        const unsure = event.unsure === undefined ? {} : { unsure: event.unsure };
        this.#put(event.task, { ...named(event), is, because: event.reason ?? '', ...unsure });
        return;
      }
      case 'observed':
        this.#add(event.task, (line) => ({ ...line, differs: [...(line.differs ?? []), ...event.differs] }));
        return;
      case 'found':
        this.#add(event.task, (line) => ({
          ...line,
          warnings: [...(line.warnings ?? []), { text: event.text, hint: event.remedy }],
        }));
        return;
      case 'warned':
        if (event.task !== undefined)
          this.#add(event.task, (line) => ({
            ...line,
            warnings: withWarning(line.warnings, event),
          }));
        return;
    }
  }

  /** To the line that is there; a task's first event may come later, so its line is begun if need be. */
  #add(task: TaskId, alter: (line: Line) => Line): void {
    const place = this.#places.get(taskKey(task));
    const begun: Line = {
      key: taskKey(task),
      step: task.step,
      host: hostName(task.on),
      name: task.step.split('/').at(-1) ?? '',
      is: 'ok',
      because: '',
    };
    this.#put(task, alter(place?.play.lines[place.index] ?? begun));
  }

  #put(task: { readonly step: string; readonly on: Subject }, content: Omit<Line, 'key' | 'step' | 'host'>): void {
    const key = taskKey(task);
    const place = this.#places.get(key) ?? this.#place(key, task.step);
    const line: Line = {
      ...keptOf(place.play.lines[place.index]),
      ...content,
      key,
      step: task.step,
      host: hostName(task.on),
    };
    place.play.lines[place.index] = line;
  }

  /** What was done and is found in place by a resume was done by this run. */
  #isDoneBefore({ as, task }: Of<'settled'>): boolean {
    const place = this.#places.get(taskKey(task));
    return as === 'ok' && place?.play.lines[place.index]?.is === 'change';
  }

  #place(key: string, step: string): { readonly play: PlayTally; readonly index: number } {
    const play = this.#playOf(step);
    const place = { play, index: play.lines.length };
    this.#places.set(key, place);
    return place;
  }

  /** The play a step's path belongs to; what is restored at the end has a heading of its own. */
  #playOf(step: string): PlayTally {
    const atEnd = isRestoring(step);
    const path = atEnd ? AT_END : ([...this.#plays.keys()].findLast((p) => step.startsWith(`${p}/`)) ?? '');
    const name = atEnd ? 'Temporary changes, restored' : 'Steps';
    const play = this.#plays.get(path) ?? { path, name, within: [], serial: false, hosts: [], lines: [] };
    this.#plays.set(path, play);
    return play;
  }
}

/** Its own command has ended it, whether it was done or not: it is asked no more. */
const withoutQuestion = ({ hint, unsure, ...line }: Line): Line =>
  unsure === true || hint === undefined ? line : { ...line, hint };

/** Each once. */
function withWarning(earlier: readonly Warning[] = [], { text, hint }: Of<'warned'>): readonly Warning[] {
  const one = hint === undefined ? text : { text, hint };
  return earlier.some((other) => warningText(other) === warningText(one)) ? earlier : [...earlier, one];
}

/** What later events of a task do not say again. */
const keptOf = (before: Line | undefined): Partial<Line> => ({
  ...(before?.spec === undefined ? {} : { spec: before.spec }),
  ...(before?.change === undefined ? {} : { change: before.change }),
  ...(before?.warnings === undefined ? {} : { warnings: before.warnings }),
  ...(before?.differs === undefined ? {} : { differs: before.differs }),
});

type Named = { readonly name: string; readonly spec?: string; readonly hint?: Hint };
const named = (e: Named): Named => ({ name: e.name, ...specOf(e), ...hintOf(e) });
const specOf = (e: { readonly spec?: string }): { spec?: string } => (e.spec === undefined ? {} : { spec: e.spec });
const hintOf = <H extends Hint>(e: { readonly hint?: H }): { hint?: H } =>
  e.hint === undefined ? {} : { hint: e.hint };
const changeOf = (e: { readonly change?: Change }): { change?: Change } =>
  e.change === undefined ? {} : { change: e.change };
