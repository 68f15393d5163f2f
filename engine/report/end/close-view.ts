import { keptSince } from '../../journal/kept.js';
import type { TemporaryChange, RunState } from '../../journal/state.js';
import type { Recorded } from '../../terms/event.js';
import type { Play, Step } from '../../terms/playbook.js';
import type { ComponentNow, StateNow } from '../../terms/state-now.js';
import { leftUndone, type UnderWay } from './left-undone.js';
import { insteadOfRelease, type Ways } from './next-commands.js';
import { packagesPut, type Put } from '../plan/packages-put.js';
import { restoredText } from './restored-text.js';
import { staysOpen, stoppedLines } from './stays-stopped.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { printableLine, styleFor, type Terminal } from '../style.js';
import { untouched } from '../plan/untouched.js';
import { hostName } from '../../terms/subject.js';

export interface Release {
  readonly past: readonly Recorded[];
  readonly state: RunState;
  readonly plays: readonly Play[];
  /** What each host has and what runs there now. */
  readonly now: StateNow;
  readonly ways: Ways;
  /** The run that stays open: the one that this rollback takes back. */
  readonly leavesOpen?: string;
}

/**
 * What closing a run means, before it is confirmed: where it stopped, what each host has now, or as far as the run saw it, which
 * steps will not run, and which temporary changes are restored in which order.
 */
export function closeView(
  { past, state, plays, now, ways, leavesOpen }: Release,
  terminal: Pick<Terminal, 'color'>,
): string {
  const { bold } = styleFor(terminal);
  const { underWay, notBegun } = leftUndone(state, plays);
  const undone = undoneLines(underWay, notBegun);
  // Only packages make versions differ.
  const mixed = packagesPut(past, state).size > 0 ? 'services will run on mixed versions' : 'the hosts will differ';
  const given = givenLines(state, underWay, mixed);
  const versions = versionLines(past, state, now);
  return [
    ...underWay.map((way) => stoppedLine(way)),
    ...(versions.length === 0 ? [] : [bold('Installed now:'), ...versions]),
    ...(undone.length === 0
      ? []
      : [
          bold('Will not run:'),
          ...undone,
          `A new ${leavesOpen === undefined ? 'apply' : 'rollback'} checks each host again and skips what is already done.`,
        ]),
    bold(given.length === 0 ? 'No temporary changes to restore.' : 'Will be restored, in this order:'),
    ...given.map((what, i) => `  ${i + 1}. ${what}`),
    ...(given.length > 0 ? halfDoneLines(underWay, mixed) : []),
    ...stoppedLines(state, now, leavesOpen).map(bold),
    ...(leavesOpen === undefined ? [] : [bold(staysOpen(leavesOpen))]),
    'Closing is final: the run cannot be resumed, and partial changes remain. Instead:',
    ...insteadOfRelease(ways),
  ].join('\n');
}

/** One line for what one step made on its hosts, in their order: they are restored in parallel. A change that is kept on purpose has its reason. */
function givenLines(state: RunState, underWay: readonly UnderWay[], mixed: string): readonly string[] {
  const lines = new Map<string, { readonly of: TemporaryChange; readonly on: string[]; readonly why: string }>();
  for (const temporaryChange of state.temporaryChanges.values()) {
    const why = whyKept(state, temporaryChange, underWay, mixed);
    const key = JSON.stringify([temporaryChange.task.step, why]);
    const same = lines.get(key) ?? { of: temporaryChange, on: [], why };
    same.on.push(hostName(temporaryChange.task.on));
    lines.set(key, same);
  }
  return [...lines.values()].map(({ of, on, why }) => `${restoredText(of, on)}${why}`);
}

function whyKept(
  state: RunState,
  temporaryChange: TemporaryChange,
  underWay: readonly UnderWay[],
  mixed: string,
): string {
  const since = keptSince(state, temporaryChange);
  if (since === undefined) return '';
  const isHalf = underWay.some(
    ({ play, lacking }) =>
      temporaryChange.task.step.startsWith(`${play.path}/`) && lacking.has(hostName(temporaryChange.task.on)),
  );
  const half = isHalf ? ` and did not finish: ${mixed}` : '';
  return `\n       kept until now, because "${printableLine(since)}" started${half}`;
}

const nameOf = (play: Play): string => printableLine([...play.within, play.name].join(' / '));
const stepNames = (steps: readonly Step[]): string => steps.map((s) => printableLine(s.name)).join(' · ');

function stoppedLine({ play, stoppedAt }: UnderWay): string {
  const at = [...new Set(stoppedAt.map(({ step }) => step))].map((step) => {
    const hosts = stoppedAt.flatMap((s) => (s.step === step ? [s.host] : []));
    return `"${printableLine(step.name)}" (${nameHosts(hosts)})`;
  });
  return `Stopped in "${nameOf(play)}"${at.length === 0 ? '' : `, at ${at.join(', ')}`}.`;
}

/** The steps left out of plays under way, by host; and plays not begun, with their steps where their part of the playbook was begun. */
function undoneLines(underWay: readonly UnderWay[], notBegun: readonly Play[]): readonly string[] {
  const begunParts = new Set(underWay.flatMap(({ play }) => play.within.slice(0, 1)));
  const near = notBegun.filter(({ within }) => within[0] === undefined || begunParts.has(within[0]));
  const far = untouched(
    { plays: [] },
    { untouched: notBegun.flatMap((p) => (near.includes(p) ? [] : [[...p.within, p.name].join(' / ')])) },
  );
  return [
    ...underWay.flatMap((way) => [`  ${nameOf(way.play)}`, ...lackingLines(way)]),
    ...near.map((play) => `  ${nameOf(play)}: ${stepNames(play.steps)}`),
    ...(far.length === 0 ? [] : [`  not started: ${far.join(', ')}`]),
  ];
}

function lackingLines({ play, lacking, stoppedAt }: UnderWay): readonly string[] {
  const begun = new Set(stoppedAt.map(({ host }) => host));
  const byText = new Map<string, string[]>();
  for (const [host, steps] of lacking) {
    const text = steps.length === play.steps.length && !begun.has(host) ? 'all steps' : stepNames(steps);
    byText.set(text, [...(byText.get(text) ?? []), host]);
  }
  return [...byText].map(([text, hosts]) => `    ${nameHosts(hosts)}: ${text}`);
}

/** `done on 2 of 3 hosts`. */
const halfDoneLines = (underWay: readonly UnderWay[], mixed: string): readonly string[] =>
  underWay.flatMap(({ play, done, halfWay, lacking }) => {
    if (play.hosts === 'controller') return [];
    const half = halfWay.length === 0 ? '' : `, partially on ${nameHosts(halfWay)}`;
    return [
      `Warning: ${mixed}: "${nameOf(play)}" is done on ${done.length} of ${done.length + lacking.size} hosts${half}.`,
    ];
  });

/** What each host has now, beside what it had when the run began; hosts with the same text share a line. */
function versionLines(past: readonly Recorded[], state: RunState, now: Release['now']): readonly string[] {
  const put = packagesPut(past, state);
  const byText = new Map<string, string[]>();
  for (const [host, was] of state.from) {
    const there = now.components.filter((c) => c.host === host);
    const isAway = there.length === 0 || now.away.includes(host);
    const text = isAway ? lastKnown(was, put.get(host)) : compared(was, there);
    if (text !== '') byText.set(text, [...(byText.get(text) ?? []), host]);
  }
  return [...byText].map(([text, hosts]) => `  ${nameHosts(hosts)}: ${printableLine(text)}`);
}

type Versions = Readonly<Record<string, string | null>>;

function compared(was: Versions, now: readonly ComponentNow[]): string {
  const parts = now.flatMap(({ component, installed, status }) => {
    const before = was[component] ?? null;
    if (installed === null && before === null) return [];
    const half = installed === null || /^[hi]i$/.test(status) ? '' : ` (partially installed: ${status})`;
    const version = `${installed ?? 'removed'}${half}`;
    return [`${component} ${installed === before ? version : `${version}, was ${before ?? 'not installed'}`}`];
  });
  return parts.join(' · ');
}

/** Of a host that cannot be asked: the packages that this run put there, else what it found. */
function lastKnown(was: Versions, put: ReadonlyMap<string, Put> | undefined): string {
  const found = Object.entries(was).flatMap(([c, v]) => (v === null ? [] : [`${c} ${v}`]));
  if (found.length === 0) return '';
  const installedHere =
    put === undefined
      ? ''
      : `${[...put].map(([n, p]) => `${n} ${p.version}${p.finished ? '' : ' (not finished)'}`).join(', ')}, was `;
  return `not checked now; last known: ${installedHere}${found.join(' · ')}`;
}
