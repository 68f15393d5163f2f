import { count } from '../../lib/count.js';
import type { Event, Recorded } from '../../terms/event.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { indent, printable, printableLine, section, styleFor, type Terminal, type Style } from '../style.js';
import { lostIn, lostTogether } from '../lost-hosts.js';
import { withModelMark } from '../model-mark.js';
import { tally, type Tally } from '../tally.js';
import { hostName } from '../../terms/subject.js';

type Of<E extends Event['e']> = Extract<Event, { readonly e: E }>;

/** What one check found, once for all hosts on which it found the same. */
export interface Finding {
  readonly found: Of<'found'>;
  readonly hosts: readonly string[];
}

/** One condition of the table of known failures, with what its plays found and what they could not look at. */
export interface ConditionFindings {
  readonly name: string;
  readonly spec?: string;
  readonly found: readonly Finding[];
  readonly notRun: readonly NotRun[];
  /** Hosts of its plays that could not be reached or worked on. */
  readonly lost: readonly string[];
  /** None of its hosts could be. */
  readonly unseen: boolean;
}

/** Checks that could not be made for one reason. */
export interface NotRun {
  readonly because: string;
  readonly checks: readonly string[];
  readonly hosts: readonly string[];
}

export interface Diagnosis {
  readonly conditions: readonly ConditionFindings[];
  /** Checks that found something, each host by itself. */
  readonly found: number;
  /** What could not be looked at, hosts that could not be reached among it. */
  readonly notRun: number;
  readonly lost: number;
}

/** Sorts the events of a diagnosis by condition: plays of one section are one. */
export function diagnosisOf(events: readonly Recorded[]): Diagnosis {
  const t = tally(events);
  const of = <E extends 'found' | 'undecided'>(e: E): readonly Of<E>[] =>
    events.flatMap(({ event }) => (event.e === e ? [event as Of<E>] : []));
  const [found, notRun] = [of('found'), of('undecided')];
  const lostOf = lostByPlay(events);
  // Where the inventory has no host of a kind there is nothing to look at.
  const looked = t.plays.filter((p) => p.skipped === undefined || lostOf.has(p.path));
  const keys = [...new Set(looked.map((p) => p.spec ?? p.path))];
  const conditions = keys.map((key): ConditionFindings => {
    const plays = looked.filter((p) => (p.spec ?? p.path) === key);
    const isOf = (e: { readonly task: { readonly step: string } }): boolean =>
      plays.some((p) => e.task.step.startsWith(`${p.path}/`));
    return {
      name: plays[0]?.name ?? '',
      ...(plays[0]?.spec === undefined ? {} : { spec: plays[0].spec }),
      found: grouped(found.filter(isOf), (f) => [f.name, f.text, f.remedy, ...f.evidence]).map(([event, hosts]) => ({
        found: event,
        hosts,
      })),
      notRun: byReason(notRun.filter(isOf)),
      lost: [...new Set(plays.flatMap((p) => lostOf.get(p.path) ?? []))],
      unseen: plays.every((p) => p.skipped !== undefined),
    };
  });
  return { conditions, found: found.length, notRun: notRun.length + t.lost.size, lost: t.lost.size };
}

const lostByPlay = (events: readonly Recorded[]): ReadonlyMap<string, readonly string[]> =>
  new Map(
    events.flatMap(({ event: e }) =>
      (e.e === 'play-started' || e.e === 'play-skipped') && e.without !== undefined ? [[e.play, e.without]] : [],
    ),
  );

function byReason(events: readonly Of<'undecided'>[]): readonly NotRun[] {
  const reasons = [...new Set(events.map((e) => e.because))];
  return reasons.map((because) => {
    const alike = events.filter((e) => e.because === because);
    const [checks, hosts] = [alike.map((e) => e.name), alike.map((e) => hostName(e.task.on))];
    return { because, checks: [...new Set(checks)], hosts: [...new Set(hosts)] };
  });
}

function grouped<E extends { readonly task: Of<'found'>['task'] }>(
  events: readonly E[],
  key: (event: E) => readonly string[],
): readonly (readonly [E, readonly string[]])[] {
  const groups = new Map<string, { readonly event: E; readonly hosts: string[] }>();
  for (const event of events) {
    const text = JSON.stringify(key(event));
    const group = groups.get(text) ?? { event, hosts: [] };
    group.hosts.push(hostName(event.task.on));
    groups.set(text, group);
  }
  return [...groups.values()].map(({ event, hosts }) => [event, hosts] as const);
}

/** A diagnosis for people: each condition, what was found with its evidence and its remedy, and what could not be looked at. */
export function diagnosisView(events: readonly Recorded[], terminal: Terminal): string {
  const t = tally(events);
  const style = styleFor(terminal);
  const diagnosis = diagnosisOf(events);
  return [
    `${style.bold(printableLine(t.started?.playbook ?? 'Diagnosis'))}   ${withModelMark(count(t.started?.hosts ?? 0, 'host'), t.started)}`,
    ...versionLines(t, style),
    '',
    ...lostTogether(lostIn(t.lost)).flatMap(({ hosts, text, hint }) => [
      `${style.red('✗')} ${style.bold(nameHosts(hosts))}  not looked at: cannot be worked on or reached`,
      indent([text, ...(hint === undefined ? [] : [hint])].map(printable).join('\n'), 4),
    ]),
    ...diagnosis.conditions.flatMap((condition) => conditionLines(condition, style)),
    '',
    lastLine(diagnosis, t, style),
  ].join('\n');
}

/** `database 4.12.0-1 (db-1, db-2)`: the first evidence of all is what is installed where. */
function versionLines({ from }: Tally, style: Style): readonly string[] {
  const hosts = new Map<string, Map<string, string[]>>();
  for (const [host, versions] of from)
    for (const [component, version] of Object.entries(versions)) {
      if (version === null) continue;
      const found = hosts.get(component) ?? new Map<string, string[]>();
      found.set(version, [...(found.get(version) ?? []), host]);
      hosts.set(component, found);
    }
  return [...hosts].map(([component, versions]) =>
    style.dim(
      ` ${component.padEnd(10)} ${[...versions].map(([v, on]) => `${printableLine(v)} (${nameHosts(on)})`).join(', ')}`,
    ),
  );
}

/** Checks that could not run, each reason once. */
export const notRunLines = (notRun: readonly NotRun[], style: Style): readonly string[] =>
  notRun.map(
    ({ because, checks, hosts }) =>
      `   ${style.cyan('?')} ${style.bold(nameHosts(hosts))}  not checked (${printableLine(nameHosts(checks))}): ${printableLine(because)}`,
  );

function conditionLines(
  { name, spec, found, notRun, lost, unseen }: ConditionFindings,
  style: Style,
): readonly string[] {
  const where = style.dim(section(spec));
  const blind = [
    ...(lost.length === 0 ? [] : [`   ${style.cyan('?')} ${style.bold(nameHosts(lost))}  not checked, see above`]),
    ...notRunLines(notRun, style),
  ];
  if (found.length === 0) {
    const sign = blind.length === 0 ? style.green('✓') : style.cyan('?');
    const what = blind.length === 0 ? 'nothing found' : unseen ? 'not checked' : 'nothing found in what was checked';
    return [`${sign} ${printableLine(name)}: ${what}  ${where}`.trimEnd(), ...blind];
  }
  return [
    `${style.red('✗')} ${style.bold(printableLine(name))}  ${where}`.trimEnd(),
    ...found.flatMap((one) => foundLines(one, style)),
    ...blind,
  ];
}

/** One finding: where, what, what was seen, and what to do. */
export const foundLines = ({ found, hosts }: Finding, style: Style): readonly string[] => [
  `   ${style.bold(nameHosts(hosts))}  ${printableLine(found.text)}`,
  ...found.evidence.flatMap((piece) => [style.dim(indent(printable(piece), 7))]),
  `     ${style.cyan(`→ ${printableLine(found.remedy)}`)}`,
];

function lastLine({ found, notRun, lost, conditions }: Diagnosis, t: Tally, style: Style): string {
  const missed = [
    ...(notRun === lost ? [] : [`${count(notRun - lost, 'check')} could not run`]),
    ...(lost === 0 ? [] : [`${count(lost, 'host')} not checked`]),
  ];
  const blind = missed.map((text) => `, ${text}`).join('');
  if (t.ended?.as === 'unreachable' && conditions.length === 0)
    return `${style.bold('Nothing could be checked')}: ${printableLine(t.ended.reason ?? 'no host can be reached')}.`;
  if (found > 0) return `${style.bold(`${found} found`)}${blind}. Nothing was changed.`;
  return notRun > 0
    ? `${style.bold('Nothing found')}${blind}. Nothing was changed.`
    : `${style.green('✓')} No problems found. Nothing was changed.`;
}
