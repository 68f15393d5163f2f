import type { Recorded } from '../terms/event.js';
import type { Playbook, Play, Step } from '../terms/playbook.js';
import { hostName } from './tally.js';

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

export interface DoctorReport {
  readonly title: string;
  readonly hosts: number;
  readonly problems: readonly DoctorItem[];
  readonly warnings: readonly DoctorItem[];
  readonly groups: readonly DoctorGroup[];
}

/** What the checks of a playbook found. What could not be read is a problem too: the upgrade would need it. */
export function itemsOf(
  events: readonly Recorded[],
  playbook: Playbook,
): Pick<DoctorReport, 'problems' | 'warnings' | 'groups'> {
  const steps = new Map(
    playbook.plays.flatMap((play) => play.steps.map((step) => [step.path, { play, step }] as const)),
  );
  const problems: DoctorItem[] = [];
  const warnings: DoctorItem[] = [];
  const bad = new Set<string>();
  for (const { event } of events) {
    if (event.e !== 'found' && event.e !== 'undecided' && event.e !== 'warned') continue;
    const { task } = event;
    const at = task === undefined ? undefined : steps.get(stepOf(task.step));
    if (task === undefined || at === undefined) continue;
    const place = { check: at.step.name, hosts: isOnce(at) ? [] : [hostName(task.on)] };
    bad.add(`${task.step} ${hostName(task.on)}`);
    if (event.e === 'warned') {
      warnings.push({ ...place, text: event.text, evidence: [], ...plainFix(at.step) });
      continue;
    }
    problems.push(
      event.e === 'found'
        ? { ...place, text: event.text, evidence: event.evidence, fix: event.remedy }
        : {
            ...place,
            text: `cannot be checked: ${event.because.replace(/^this to be known: /, '')}`,
            evidence: [],
            ...plainFix(at.step),
          },
    );
  }
  return { problems: folded(problems), warnings: folded(warnings), groups: groupsOf(events, playbook, bad) };
}

/** The path of a step, without the element of a loop. */
const stepOf = (path: string): string => path.replace(/ \[.*\]$/s, '');

const isOnce = ({ play, step }: { readonly play: Play; readonly step: Step }): boolean =>
  play.runOnce === true || step.runOnce;

/** A remedy with names in it is known only where it was found to be needed. */
const plainFix = ({ remedy = '' }: Step): Pick<DoctorItem, 'fix'> =>
  remedy === '' || remedy.includes('{{') ? {} : { fix: remedy };

/** Identical results of several hosts are one; and checks that could not be made for one reason are one. */
function folded(items: readonly DoctorItem[]): readonly DoctorItem[] {
  const same = new Map<string, DoctorItem>();
  for (const item of items) {
    const key = JSON.stringify([item.text.startsWith('cannot be checked') ? '' : item.check, item.text, item.evidence]);
    const known = same.get(key);
    same.set(
      key,
      known === undefined
        ? item
        : {
            ...known,
            check: known.check.split(', ').includes(item.check) ? known.check : `${known.check}, ${item.check}`,
            hosts: [...new Set([...known.hosts, ...item.hosts])],
          },
    );
  }
  return [...same.values()].toSorted((a, b) => b.hosts.length - a.hosts.length);
}

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
