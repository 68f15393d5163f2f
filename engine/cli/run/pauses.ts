import type { Project } from '../../language/project.js';
import { didYouMean } from '../options/did-you-mean.js';
import { select } from '../../language/playbook/selector.js';
import { pausedText } from '../../report/end/stop-lines.js';
import type { Run } from '../../run/run.js';
import type { PausedAt } from '../../terms/event.js';
import type { Play } from '../../terms/playbook.js';
import type { Flags } from '../options/flags.js';
import { isNo, isYes } from '../terminal/prompt.js';

const wholeName = ({ within, name }: Play): string => [...within, name].join(' / ');

/** What a pause may be named by: a play, with or without the playbooks around it, or the first play of an imported playbook. */
function playsNamed({ plays }: Project['playbook'], name: string): readonly string[] {
  const named = plays.filter((play) => play.name === name || wholeName(play) === name);
  const first = plays.find((play) => play.within.includes(name));
  return named.length > 0 ? named.map(({ path }) => path) : first === undefined ? [] : [first.path];
}

/** One sentence where a pause names no play or no host. */
export function wrongPause(
  { playbook, inventory, platform: { roles } }: Project,
  { pauseBefore, pauseAfter }: Flags,
): string | undefined {
  const play = pauseBefore.find((name) => playsNamed(playbook, name).length === 0);
  const known = playbook.plays.flatMap(({ name, within }) => [...within, name]);
  if (play !== undefined) return `--pause-before: there is no play "${play}"${didYouMean(play, known)}`;
  const hosts = inventory.hosts.map(({ name }) => name);
  const host = pauseAfter.find((name) => !hosts.includes(name));
  if (host !== undefined) return `--pause-after: there is no host "${host}"${didYouMean(host, hosts)}`;
  const inTurn = playbook.plays.flatMap((one) =>
    one.serial === undefined ? [] : select(one, inventory.hosts, { roles }),
  );
  const never = pauseAfter.find((name) => !inTurn.includes(name));
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
export function pauses(
  { playbook }: Project,
  { pauseBefore, pauseAfter }: Flags,
  { ask, say, record }: Pausing,
  key?: PauseKey,
): Run['goOn'] {
  if (pauseBefore.length + pauseAfter.length === 0 && key === undefined) return undefined;
  const before = new Set(pauseBefore.flatMap((name) => playsNamed(playbook, name)));
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
    const pressed = key?.wanted === true;
    if (key !== undefined) key.wanted = false;
    if ('before' in at) return (!pressed && !before.has(at.before.path)) || goOn({ before: wholeName(at.before) });
    const host = pressed ? at.after.at(-1) : at.after.find((name) => pauseAfter.includes(name));
    return host === undefined || goOn({ after: host });
  };
}
