import type { Recorded } from '../../terms/event.js';
import { defined } from '../../lib/defined.js';
import { stoppedMs } from '../end/now-lines.js';
import { isBusy } from '../plan/phase-text.js';
import { isWhole } from '../plan/plan-state.js';
import type { PlanSummary } from '../plan/plan-summary.js';
import { downSpan, notIncluded } from '../plan/window-lines.js';
import { dataLossOf } from '../plan/data-loss.js';
import { lostIn } from '../lost-hosts.js';
import { tally } from '../tally.js';
import { originOf } from './origin.js';
import type { Document, Section, Summary } from './document.js';
import { changesOf, checksOf } from './outcomes.js';
import { plannedRows } from './rows.js';
import { platformState } from './platform-state.js';
import { temporaryOf } from './temporary.js';

/** A plan as a document for the change ticket. */
export function planDocument(events: readonly Recorded[], s: PlanSummary): Document {
  const t = tally(events);
  const sections: readonly Section[] = [
    summaryIn(s),
    { is: 'failures', failures: [...s.failures, ...s.unread], lost: lostIn(s.lost), notStarted: [], notFinished: [] },
    ...(s.unfinished?.now === undefined ? [] : [platformState(s.unfinished.past, s.unfinished.now, 'plan')]),
    ...(isWhole(s.state) ? impactIn(s) : []),
    { is: 'decisions', decisions: s.decisions },
    { is: 'warnings', warnings: s.warnings },
    ...(isWhole(s.state) ? [{ is: 'approvals', roles: ['requester', 'operator', 'approver'] } as const] : []),
    { is: 'temporary', changes: temporaryOf(t, events, 'plan') },
    { is: 'changes', plays: changesOf(t) },
    { is: 'checks', plays: checksOf(t) },
    originOf(events),
  ];
  const title = s.started?.playbook ?? '';
  return { format: 'runbook-document', version: 1, of: 'plan', title, state: s.state.is, plan: s.state, sections };
}

const summaryIn = (s: PlanSummary): Summary => {
  const { started, from, atMs, takes, measured, rehearsal, counts, temporary, backsOut, window, rest, outsideLimit } =
    s;
  const whole = isWhole(s.state);
  return {
    is: 'summary',
    from,
    ...(started?.target === undefined ? {} : { target: started.target }),
    hosts: started?.hosts ?? 0,
    ...(started?.model === undefined ? {} : { model: started.model }),
    atMs,
    ...(whole ? { estimate: { ...takes, measured } } : {}),
    ...(whole && rehearsal !== undefined ? { rehearsal } : {}),
    ...(rest === undefined ? {} : { restOf: rest.run }),
    ...defined({ down: whole ? downSpan(s) : undefined, outsideLimit }),
    ...(whole && window !== undefined ? { window: { ...window, notIncluded: notIncluded(window, s.backOut) } } : {}),
    counts,
    temporary,
    ...(backsOut === undefined ? {} : { dataLoss: dataLossOf({ backsOut }).join('; ') }),
  };
};

const impactIn = (s: PlanSummary): readonly Section[] => [
  ...(s.downtime === undefined
    ? []
    : [
        {
          is: 'impact',
          services: s.downtime.map(({ takes, spans: _spans, ...service }) => ({
            ...service,
            estimate: takes,
            ...defined({ downSinceMs: stoppedMs(s.unfinished?.past ?? [], service.downNow) }),
          })),
        } as const,
      ]),
  {
    is: 'timeline',
    estimateMs: s.takes.maxMs,
    rows: plannedRows(s.phases, s.downtime ?? []),
    marks: s.pointsOfNoReturn.flatMap(({ phase }) => {
      const atMs = s.phases.find(({ name }) => name === phase)?.span.fromMs;
      return atMs === undefined ? [] : [{ atMs, phase }];
    }),
  },
  {
    is: 'phases',
    phases: s.phases.filter(isBusy).map(({ name, changes, takes }) => ({ name, changes, takes })),
    safeStops: s.safePoints,
  },
  {
    is: 'back-out',
    ...(s.rest === undefined ? {} : { asOfMs: s.atMs }),
    stages: s.backOut,
    pointsOfNoReturn: s.pointsOfNoReturn,
  },
  { is: 'versions', versions: s.versions, itemUpgrades: s.itemUpgrades.map(({ text }) => text) },
];
