import type { Recorded } from '../../terms/event.js';
import type { PlanSummary } from '../plan/plan-summary.js';
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
    { is: 'failures', failures: s.failures, lost: lostIn(s.lost), notStarted: [], notFinished: [] },
    ...(s.unfinished?.now === undefined ? [] : [platformState(s.unfinished.past, s.unfinished.now)]),
    ...(s.is === 'ready' ? impactIn(s) : []),
    { is: 'decisions', decisions: s.decisions },
    { is: 'warnings', warnings: s.warnings },
    ...(s.is === 'ready' ? [{ is: 'approvals', roles: ['requester', 'operator', 'approver'] } as const] : []),
    { is: 'temporary', changes: temporaryOf(t, events, 'plan') },
    { is: 'changes', plays: changesOf(t) },
    { is: 'checks', plays: checksOf(t) },
    originOf(events),
  ];
  const title = s.started?.playbook ?? '';
  return { format: 'runbook-document', version: 1, of: 'plan', title, state: s.is, sections };
}

const summaryIn = ({
  started,
  from,
  atMs,
  takes,
  measured,
  rehearsal,
  counts,
  temporary,
  is,
  backsOut,
}: PlanSummary): Summary => ({
  is: 'summary',
  from,
  ...(started?.target === undefined ? {} : { target: started.target }),
  hosts: started?.hosts ?? 0,
  ...(started?.model === undefined ? {} : { model: started.model }),
  atMs,
  ...(is === 'ready' ? { estimate: { ...takes, measured } } : {}),
  ...(is === 'ready' && rehearsal !== undefined ? { rehearsal } : {}),
  counts,
  temporary,
  ...(backsOut === undefined ? {} : { dataLoss: dataLossOf({ backsOut }).join('; ') }),
});

const impactIn = (s: PlanSummary): readonly Section[] => [
  ...(s.downtime === undefined
    ? []
    : [
        {
          is: 'impact',
          services: s.downtime.map(({ takes, spans: _spans, ...service }) => ({ ...service, estimate: takes })),
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
    is: 'back-out',
    ...(s.rest === undefined ? {} : { asOfMs: s.atMs }),
    stages: s.backOut,
    pointsOfNoReturn: s.pointsOfNoReturn,
  },
  { is: 'versions', versions: s.versions, itemUpgrades: s.itemUpgrades.map(({ text }) => text) },
];
