import type { Project } from '../../language/project.js';
import { didYouMean } from '../options/did-you-mean.js';
import { select } from '../../language/playbook/selector.js';
import { pausedText } from '../../report/end/stop-lines.js';
import type { Run } from '../../run/run.js';
import type { PausedAt } from '../../terms/event.js';
import type { Play } from '../../terms/playbook.js';
import type { Flags } from '../options/flags.js';
import { findSteps, type StepPlace } from './steps-named.js';
import { isNo, isYes } from '../terminal/prompt.js';

const wholeName = ({ within, name }: Play): string => [...within, name].join(' / ');

/** The plays that a pause may name: a play, with or without the playbooks around it, or the first play of an imported playbook. */
function playsNamed({ plays }: Project['playbook'], name: string): readonly string[] {
  const named = plays.filter((play) => play.name === name || wholeName(play) === name);
  const first = plays.find((play) => play.within.includes(name));
  return named.length > 0 ? named.map(({ path }) => path) : first === undefined ? [] : [first.path];
}

interface Places {
  /** Paths of plays and steps. */
  readonly before: ReadonlySet<string>;
  /** Hosts. */
  readonly after: ReadonlySet<string>;
}

/** Where the flags want a pause; after a step is before the next one, or before the next play. */
function placesOf(project: Project, { pauseBefore, pauseAfter }: Flags): Places {
  const { playbook, inventory } = project;
  const hosts = new Set(inventory.hosts.map(({ name }) => name));
  const before = pauseBefore.flatMap((name) => {
    const plays = playsNamed(playbook, name);
    return plays.length > 0 ? plays : findSteps(project, name).map(({ step }) => step.path);
  });
  const after = pauseAfter
    .filter((name) => !hosts.has(name))
    .flatMap((name) => findSteps(project, name).flatMap((placed) => nextOf(playbook, placed) ?? []));
  return { before: new Set([...before, ...after]), after: new Set(pauseAfter.filter((name) => hosts.has(name))) };
}

/** The path of what comes after a step; undefined: the run ends there. */
function nextOf({ plays }: Project['playbook'], { play, step }: StepPlace): string | undefined {
  return (play.steps[play.steps.indexOf(step) + 1] ?? plays[plays.indexOf(play) + 1])?.path;
}

/** One sentence where a pause names no play, no step or no host. */
export function wrongPause(project: Project, { pauseBefore, pauseAfter }: Flags): string | undefined {
  const { playbook, inventory } = project;
  const titles = playbook.plays.flatMap(({ name, within, steps }) => [...within, name, ...steps.map((s) => s.name)]);
  const isStep = (name: string): boolean => findSteps(project, name).length > 0;
  const before = pauseBefore.find((name) => playsNamed(playbook, name).length === 0 && !isStep(name));
  if (before !== undefined) return `--pause-before: there is no play or step "${before}"${didYouMean(before, titles)}`;
  const hosts = inventory.hosts.map(({ name }) => name);
  const after = pauseAfter.find((name) => !hosts.includes(name) && !isStep(name));
  if (after !== undefined)
    return `--pause-after: there is no host or step "${after}"${didYouMean(after, [...hosts, ...titles])}`;
  const last = pauseAfter.find(
    (name) =>
      !hosts.includes(name) && findSteps(project, name).every((placed) => nextOf(playbook, placed) === undefined),
  );
  if (last !== undefined) return `--pause-after: the run ends after step "${last}"`;
  return neverInTurn(
    project,
    pauseAfter.filter((name) => hosts.includes(name)),
  );
}

function neverInTurn({ playbook, inventory, platform: { roles } }: Project, after: readonly string[]) {
  const inTurn = playbook.plays.flatMap((one) =>
    one.serial === undefined ? [] : select(one, inventory.hosts, { roles }),
  );
  const never = after.find((name) => !inTurn.includes(name));
  return never === undefined
    ? undefined
    : `--pause-after: no play takes ${never} in turn with others (\`serial\`); --pause-before PLAY pauses before a play`;
}

/** What the key `p` asks for: a pause at the next place where one is possible. */
export interface PauseKey {
  wanted: boolean;
}

interface Pausing {
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly say: (text: string) => void;
  readonly record: (at: PausedAt) => void;
}

/** Asks where the flags or the key want a pause; without a terminal the run stops there. Undefined: none can be wanted. */
export function pauses(project: Project, flags: Flags, { ask, say, record }: Pausing, key?: PauseKey): Run['goOn'] {
  if (flags.pauseBefore.length + flags.pauseAfter.length === 0 && key === undefined) return undefined;
  const places = placesOf(project, flags);
  const goOn = async (at: PausedAt): Promise<boolean> => {
    record(at);
    const paused = pausedText(at);
    let answer = await ask(`${paused}. Continue? (no stops the run; runbook resume continues it later) [y/N]`);
    // A key that was meant for the live view is no answer.
    while (answer !== undefined && !isYes(answer) && !isNo(answer))
      answer = await ask(`${paused}. Answer y to continue, n to stop the run [y/N]`);
    if (answer === undefined) say(`${paused}: the run stops here; runbook resume continues it.`);
    return isYes(answer);
  };
  return async (at) => {
    if ('before' in at && at.step !== undefined)
      return !places.before.has(at.step.path) || goOn({ before: `${wholeName(at.before)} / ${at.step.name}` });
    const pressed = key?.wanted === true;
    if (key !== undefined) key.wanted = false;
    if ('before' in at)
      return (!pressed && !places.before.has(at.before.path)) || goOn({ before: wholeName(at.before) });
    const host = pressed ? at.after.at(-1) : at.after.find((name) => places.after.has(name));
    return host === undefined || goOn({ after: host });
  };
}
