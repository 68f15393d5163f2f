import { groupBy } from '../../lib/group-by.js';
import { inOrder } from '../../lib/name-hosts.js';
import type { Recorded } from '../../terms/event.js';
import { warnedText } from '../warnings.js';
import type { Playbook, Play, Step } from '../../terms/playbook.js';
import { hostName } from '../../terms/subject.js';

/** One thing that is wrong, once for all hosts on which it is the same. */
export interface DoctorItem {
  readonly check: string;
  /** Empty for what concerns no single host. */
  readonly hosts: readonly string[];
  readonly text: string;
  readonly evidence: readonly string[];
  readonly fix?: string;
}

/** A group of checks, and how many of them passed on how many hosts. */
export interface DoctorGroup {
  readonly name: string;
  readonly passed: readonly string[];
  readonly hosts: readonly string[];
}

/**
 * Checks that were not made, for one reason. `no-access`: none of these hosts' checks were, and a problem says why. `unreadable`: what they
 * read could not be had. `not-shown`: an endpoint does not say what its user may do, and only a change
 * would show it.
 */
export interface NotChecked {
  readonly code: 'no-access' | 'unreadable' | 'not-shown';
  readonly checks: readonly string[];
  readonly hosts: readonly string[];
  readonly because?: string;
}

export interface DoctorReport {
  readonly title: string;
  readonly hosts: number;
  /** How many of them are of the model, where any is. */
  readonly model?: number;
  readonly problems: readonly DoctorItem[];
  readonly warnings: readonly DoctorItem[];
  readonly notChecked: readonly NotChecked[];
  readonly groups: readonly DoctorGroup[];
}

/** What could not be read is no good news either: the upgrade would need it. */
export const isClean = (report: DoctorReport): boolean => report.problems.length === 0 && isWhole(report);

/** All was checked that can be without a change. */
export const isWhole = ({ notChecked }: DoctorReport): boolean => notChecked.every(({ code }) => code === 'not-shown');

/** What the checks of a playbook found, and what they could not read. */
export function itemsOf(events: readonly Recorded[], playbook: Playbook): Omit<DoctorReport, 'title' | 'hosts'> {
  const steps = new Map(
    playbook.plays.flatMap((play) => play.steps.map((step) => [step.path, { play, step }] as const)),
  );
  const problems: DoctorItem[] = [];
  const warnings: DoctorItem[] = [];
  const unread: NotChecked[] = [];
  const bad = new Set<string>();
  for (const { event } of events) {
    if (event.e !== 'found' && event.e !== 'undecided' && event.e !== 'warned') continue;
    const { task } = event;
    const at = task === undefined ? undefined : steps.get(stepOf(task.step));
    if (task === undefined || at === undefined) continue;
    const place = { check: at.step.name, hosts: isOnce(at) ? [] : [hostName(task.on)] };
    bad.add(`${task.step} ${hostName(task.on)}`);
    if (event.e === 'warned') warnings.push({ ...place, text: warnedText(event), evidence: [], ...plainFix(at.step) });
    else if (event.e === 'found')
      (at.step.failureWarns === true ? warnings : problems).push({
        ...place,
        text: event.text,
        evidence: event.evidence,
        ...(event.remedy === '' ? {} : { fix: event.remedy }),
      });
    else unread.push({ code: 'unreadable', because: event.because, checks: [place.check], hosts: place.hosts });
  }
  return {
    problems: folded(problems),
    warnings: folded(warnings),
    notChecked: byReason(unread),
    groups: groupsOf(events, playbook, bad),
  };
}

const hostsOf = (alike: readonly { readonly hosts: readonly string[] }[]): readonly string[] =>
  inOrder(alike.flatMap(({ hosts }) => hosts));

/** Each reason once, with all that it prevented. */
export const byReason = (notChecked: readonly NotChecked[]): readonly NotChecked[] =>
  groupBy(notChecked, ({ code, because = '' }) => JSON.stringify([code, because])).map((alike) => ({
    ...alike[0],
    checks: [...new Set(alike.flatMap(({ checks }) => checks))],
    hosts: hostsOf(alike),
  }));

/** The path of a step, without the element of a loop. */
const stepOf = (path: string): string => path.replace(/ \[.*\]$/s, '');

const isOnce = ({ play, step }: { readonly play: Play; readonly step: Step }): boolean =>
  play.runOnce === true || step.runOnce;

/** A remedy with names in it is known only where it was found to be needed. */
const plainFix = ({ remedy = '' }: Step): Pick<DoctorItem, 'fix'> =>
  remedy === '' || remedy.includes('{{') ? {} : { fix: remedy };

/** Identical results of several hosts are one. */
const folded = (items: readonly DoctorItem[]): readonly DoctorItem[] =>
  groupBy(items, ({ check, text, evidence }) => JSON.stringify([check, text, evidence]))
    .map((alike) => ({ ...alike[0], hosts: hostsOf(alike) }))
    .toSorted((a, b) => b.hosts.length - a.hosts.length);

function groupsOf(events: readonly Recorded[], { plays }: Playbook, bad: ReadonlySet<string>): readonly DoctorGroup[] {
  return plays.flatMap((play) => {
    const settled = events.flatMap(({ event }) =>
      event.e === 'settled' &&
      event.task.step.startsWith(`${play.path}/`) &&
      !bad.has(`${event.task.step} ${hostName(event.task.on)}`)
        ? [event]
        : [],
    );
    const passed = [...new Set(settled.map((event) => stepOf(event.task.step).slice(play.path.length + 1)))];
    const hosts = [...new Set(settled.map((event) => hostName(event.task.on)))];
    return passed.length === 0 ? [] : [{ name: play.name, passed, hosts: play.runOnce === true ? [] : hosts }];
  });
}
