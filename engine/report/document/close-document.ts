import { groupBy } from '../../lib/group-by.js';
import type { Recorded } from '../../terms/event.js';
import type { Release } from '../end/close-view.js';
import { leftUndone } from '../end/left-undone.js';
import { staysStopped } from '../end/stays-stopped.js';
import type { PlanSummary } from '../plan/plan-summary.js';
import { planDocument } from './plan-document.js';
import type { Closing, Document, Section } from './document.js';

/** What closing a run would do, as a document for the change ticket. */
export function closeDocument(events: readonly Recorded[], s: PlanSummary, release: Release): Document {
  // The first event is of the run that is closed.
  const { sections, title, ...rest } = planDocument(events, { ...s, atMs: events.at(-1)?.atMs ?? s.atMs });
  const state = s.lost.size > 0 ? 'incomplete' : s.failures.length > 0 ? 'refused' : 'ready';
  const [summary, ...others] = sections.filter(({ is }) => OF_A_CLOSE.includes(is));
  return {
    ...rest,
    state,
    plan: { ...s.state, is: state },
    title: `Close: ${title}`,
    sections: [...(summary === undefined ? [] : [summary]), closingOf(release), ...others],
  };
}

/** A close has no impact, back-out or approval of a plan. */
const OF_A_CLOSE: readonly Section['is'][] = ['summary', 'failures', 'warnings', 'changes', 'checks', 'origin'];

function closingOf({ state, plays, now }: Release): Closing {
  const { underWay, notBegun } = leftUndone(state, plays);
  const lacking = underWay.flatMap(({ play, lacking: byHost }) =>
    groupBy([...byHost], ([, steps]) => JSON.stringify(steps.map(({ path }) => path))).map((same) => ({
      play: [...play.within, play.name],
      hosts: same.map(([host]) => host),
      steps: same[0][1].map(({ name }) => name),
    })),
  );
  const whole = notBegun.map((play) => ({ play: [...play.within, play.name], hosts: [], steps: [] }));
  return {
    is: 'closing',
    notRun: [...lacking, ...whole],
    staysStopped: groupBy(staysStopped(state, now), ({ component }) => component).map((same) => ({
      component: same[0].component,
      hosts: same.map(({ host }) => host),
    })),
  };
}
