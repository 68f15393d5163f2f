import { getOrCreate } from '../../lib/get-or-create.js';
import { groupBy } from '../../lib/group-by.js';
import type { Change } from '../../terms/change.js';
import type { Recorded } from '../../terms/event.js';
import { taskKey } from '../../terms/task.js';
import type { Line, PlayTally, Tally } from '../tally.js';
import type { Outcome, PlayOutcomes } from './document.js';

/** What a step does or did, or is to be decided; the rest was only checked. */
const isChange = ({ is, warnings }: Line): boolean => (is !== 'ok' && is !== 'skipped') || warnings !== undefined;

/** What each task did, in its rounds: a step may act several times until nothing is left to do. */
export type Rounds = ReadonlyMap<string, readonly Change[]>;

export function roundsOf(events: readonly Recorded[]): Rounds {
  const rounds = new Map<string, Change[]>();
  for (const { event } of events) {
    if (event.e !== 'intent') continue;
    const mine = getOrCreate(rounds, taskKey(event.task), () => []);
    if (!mine.some(({ summary }) => summary === event.change.summary)) mine.push(event.change);
  }
  return rounds;
}

/** Every change, by play. Plays with none are left out. */
export const changesOf = (t: Tally, rounds: Rounds = new Map()): readonly PlayOutcomes[] =>
  playsOf(t, isChange, rounds);

/** Every check that found nothing to do, by play. */
export const checksOf = (t: Tally): readonly PlayOutcomes[] =>
  playsOf(t, ({ is, warnings }) => is === 'ok' && warnings === undefined, new Map());

const playsOf = ({ plays }: Tally, fits: (line: Line) => boolean, rounds: Rounds): readonly PlayOutcomes[] =>
  plays.flatMap((play) => {
    const lines = play.lines.filter(fits);
    return lines.length === 0 ? [] : [playOf(play, lines, rounds)];
  });

const playOf = (
  { name, within, spec, serial, hosts, pointOfNoReturn }: PlayTally,
  lines: readonly Line[],
  rounds: Rounds,
): PlayOutcomes => ({
  name: [...within, name],
  ...(spec === undefined ? {} : { spec }),
  hosts,
  serial,
  ...(pointOfNoReturn === undefined ? {} : { pointOfNoReturn }),
  outcomes: outcomesOf(lines, hosts, rounds),
});

/** Steps in the order of the play, each once for all hosts with the same outcome, its hosts in the order of the play. */
function outcomesOf(lines: readonly Line[], order: readonly string[], rounds: Rounds): readonly Outcome[] {
  const rank = new Map(order.map((host, i) => [host, i]));
  const rankOf = (host: string): number => rank.get(host) ?? order.length;
  return groupBy(lines, ({ step }) => step).flatMap((ofStep) =>
    groupBy(
      ofStep.map((line) => ({ host: line.host, told: told(line, rounds.get(line.key)) })),
      (one) => JSON.stringify(one.told),
    ).map((group) => ({
      ...group[0].told,
      hosts: [...new Set(group.map(({ host }) => host))].sort((a, b) => rankOf(a) - rankOf(b)),
    })),
  );
}

function told(
  { is, name, spec, because, hint, warnings, change }: Line,
  rounds?: readonly Change[],
): Omit<Outcome, 'hosts'> {
  const changes = is !== 'change' ? [] : (rounds ?? (change === undefined ? [] : [change]));
  const diffs = changes.flatMap(({ diff }) => diff ?? []);
  const later = is === 'change' ? change?.diffUnknown : undefined;
  return {
    is,
    name,
    ...(spec === undefined ? {} : { spec }),
    text: changes.length === 0 ? because : changes.map(({ summary }) => summary).join('; then '),
    ...(is !== 'change' || change === undefined ? {} : { sign: change.sign }),
    ...(diffs.length === 0 ? {} : { diff: diffs.map((diff) => `${diff.trimEnd()}\n`).join('') }),
    ...(later === undefined ? {} : { diffLater: later }),
    ...(hint === undefined ? {} : { hint }),
    ...(warnings === undefined ? {} : { warnings }),
  };
}
