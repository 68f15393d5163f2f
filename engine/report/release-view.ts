import type { RunState } from '../journal/state.js';
import type { Recorded } from '../terms/event.js';
import type { Play, Step } from '../terms/playbook.js';
import { leftUndone, type UnderWay } from './left-undone.js';
import { insteadOfRelease, type Ways } from './next-commands.js';
import { packagesPut } from './packages-put.js';
import { nameHosts, printableLine, styleFor, type Paper } from './style.js';
import { hostName } from './tally.js';
import { untouched } from './untouched.js';

/**
 * What the release of a run means, before it is asked for: where it stopped, what each host is at as far as the run saw it, which steps
 * nobody will make any more, and what is given back in which order. From the run's own events alone: nobody is asked.
 */
export function releaseView(
  past: readonly Recorded[],
  state: RunState,
  plays: readonly Play[],
  paper: Pick<Paper, 'color'>,
  ways: Ways,
): string {
  const { bold } = styleFor(paper);
  const { underWay, notBegun } = leftUndone(state, plays);
  const undone = undoneLines(underWay, notBegun);
  const given = givenLines(state);
  const versions = versionLines(past, state);
  return [
    ...underWay.map((way) => stoppedLine(way)),
    ...(versions.length === 0 ? [] : [bold('As far as this run knows:'), ...versions]),
    ...(undone.length === 0
      ? []
      : [
          bold('This run will not make any more:'),
          ...undone,
          'A new apply judges each play by its goal, by what it finds then: where the goal is met, the play and its steps are skipped.',
        ]),
    bold(given.length === 0 ? 'Nothing is still in place.' : 'Will be given back, in this order:'),
    ...given.map((what, i) => `  ${i + 1}. ${what}`),
    ...(given.length > 0 ? halfDoneLines(underWay) : []),
    'Afterwards this run is closed: it can no longer be resumed, and what it half did stays as it is. Instead of that:',
    ...insteadOfRelease(ways),
  ].join('\n');
}

/** One line for what one step made on its hosts, in their order: it is given back side by side. */
function givenLines({ debts }: RunState): readonly string[] {
  const hosts = new Map<string, { readonly name: string; readonly on: string[] }>();
  for (const { name, task } of debts.values()) {
    const same = hosts.get(task.step) ?? { name, on: [] };
    same.on.push(hostName(task.on));
    hosts.set(task.step, same);
  }
  return [...hosts.values()].map(({ name, on }) => `${printableLine(name)} (${nameHosts(on)})`);
}

const nameOf = (play: Play): string => printableLine([...play.within, play.name].join(' / '));
const stepNames = (steps: readonly Step[]): string => steps.map((s) => printableLine(s.name)).join(' · ');

function stoppedLine({ play, stoppedAt }: UnderWay): string {
  const at = [...new Set(stoppedAt.map(({ step }) => step))].map((step) => {
    const hosts = stoppedAt.flatMap((s) => (s.step === step ? [s.host] : []));
    return `"${printableLine(step.name)}" (${nameHosts(hosts)})`;
  });
  return `It stopped in "${nameOf(play)}"${at.length === 0 ? '' : `, at ${at.join(', ')}`}.`;
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
    ...(far.length === 0 ? [] : [`  nothing of ${far.join(', ')} was begun`]),
  ];
}

function lackingLines({ play, lacking, stoppedAt }: UnderWay): readonly string[] {
  const begun = new Set(stoppedAt.map(({ host }) => host));
  const byText = new Map<string, string[]>();
  for (const [host, steps] of lacking) {
    const text = steps.length === play.steps.length && !begun.has(host) ? 'all of it' : stepNames(steps);
    byText.set(text, [...(byText.get(text) ?? []), host]);
  }
  return [...byText].map(([text, hosts]) => `    ${nameHosts(hosts)}: ${text}`);
}

/** `2 of 3 hosts are done with it`: what is started again then works with a thing that is half done. */
const halfDoneLines = (underWay: readonly UnderWay[]): readonly string[] =>
  underWay.flatMap(({ play, done, halfWay, lacking }) => {
    if (play.hosts === 'controller') return [];
    const half = halfWay.length === 0 ? '' : `, ${nameHosts(halfWay)} half-way`;
    return [
      `What is started again works with what is there: ${done.length} of ${done.length + lacking.size} hosts done with "${nameOf(play)}"${half}.`,
    ];
  });

/** Packages that this run put on a host, else what it found there when it began; hosts of which the same is known are told together. */
function versionLines(past: readonly Recorded[], state: RunState): readonly string[] {
  const put = packagesPut(past, state);
  const byText = new Map<string, string[]>();
  for (const [host, versions] of state.from) {
    const found = Object.entries(versions).flatMap(([c, v]) => (v === null ? [] : [`${c} ${v}`]));
    const now = put.get(host);
    const was = found.join(', ');
    const text =
      now === undefined ? `still ${was}` : `${[...now].map(([n, v]) => `${n} ${v}`).join(', ')} (was ${was})`;
    if (found.length > 0) byText.set(text, [...(byText.get(text) ?? []), host]);
  }
  return [...byText].map(([text, hosts]) => `  ${nameHosts(hosts)}: ${printableLine(text)}`);
}
