import { getOrCreate } from '../../lib/get-or-create.js';
import { groupBy } from '../../lib/group-by.js';
import type { Change } from '../../terms/change.js';
import type { Recorded } from '../../terms/event.js';
import { hintText, warningText } from '../../terms/hint.js';
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
  const rankOf = ({ host }: Line): number => rank.get(host) ?? order.length;
  const byStep = new Map(groupBy(lines, ({ step }) => step).map((all) => [all[0].step, all]));
  return stepsInOrder(lines.toSorted((a, b) => rankOf(a) - rankOf(b))).flatMap((step) =>
    groupBy(
      (byStep.get(step) ?? [])
        .toSorted((a, b) => rankOf(a) - rankOf(b))
        .map((line) => ({ host: line.host, outcome: outcomeOf(line, rounds.get(line.key)) })),
      (one) => JSON.stringify(one.outcome),
    ).map((group) => ({ ...group[0].outcome, hosts: [...new Set(group.map(({ host }) => host))] })),
  );
}

/** The steps of all hosts as one sequence: each host's own order is kept, whichever host was faster. */
function stepsInOrder(lines: readonly Line[]): readonly string[] {
  const all: string[] = [];
  for (const ofHost of groupBy(lines, ({ host }) => host)) {
    let at = -1;
    for (const { step } of ofHost) {
      const found = all.indexOf(step);
      if (found < 0) all.splice(at + 1, 0, step);
      at = found < 0 ? at + 1 : Math.max(at, found);
    }
  }
  return all;
}

function outcomeOf(
  { is, name, spec, because, hint, warnings, change }: Line,
  rounds?: readonly Change[],
): Omit<Outcome, 'hosts'> {
  const changes = is !== 'change' ? [] : (rounds ?? (change === undefined ? [] : [change]));
  const diffs = [...new Set(changes.flatMap(({ diff }) => diff ?? []))];
  const later = is === 'change' ? change?.diffUnknown : undefined;
  return {
    is,
    name,
    ...(spec === undefined ? {} : { spec }),
    text: changes.length === 0 ? because : changes.map(({ summary }) => summary).join('; then '),
    ...(is !== 'change' || change === undefined ? {} : { sign: change.sign }),
    ...(diffs.length === 0 ? {} : { diff: diffs.map((diff) => `${diff.trimEnd()}\n`).join('') }),
    ...(later === undefined ? {} : { diffLater: later }),
    ...(hint === undefined ? {} : { hint: hintText(hint) }),
    ...(warnings === undefined ? {} : { warnings: warnings.map(warningText) }),
  };
}
