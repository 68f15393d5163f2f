import type { Document, PlayOutcomes } from '../../engine/report/document/document.js';

const COUNTS = {
  ...{ changed: 3, unchanged: 2, undecided: 1, waiting: 1, asked: 1 },
  ...{ skipped: 1, failed: 1, notFinished: 1, warnings: 1 },
};

/** A document with something in every place where a text of a host or of a playbook may stand. */
export function sampleDocument(t: () => string, of: 'plan' | 'run' = 'run'): Document {
  const told = () => ({ text: t(), hint: t(), spec: t(), hosts: [t(), t()] });
  const span = { fromMs: 0, toMs: 60_000 };
  const range = { minMs: 1000, maxMs: 2000 };
  const many = Array.from({ length: 9 }, t);
  const play = (): PlayOutcomes => ({
    name: [t(), t()],
    spec: t(),
    hosts: [t(), t()],
    serial: true,
    pointOfNoReturn: t(),
    outcomes: (['change', 'undecided', 'failed', 'begun', 'waiting'] as const).map((is) => ({
      is,
      name: t(),
      spec: t(),
      hosts: is === 'change' ? many : [t()],
      text: t(),
      sign: '~',
      diff: `--- ${t()}\n+++ ${t()}\n+${t()}\n-${t()}\n${t()}`,
      diffLater: t(),
      hint: t(),
      warnings: [t()],
    })),
  });
  return {
    ...{ format: 'runbook-document', version: 1, of, title: t(), state: of === 'plan' ? 'ready' : 'failed' },
    sections: [
      {
        ...{ is: 'summary', from: [t()], target: t(), hosts: 2, atMs: 0, endMs: 90_000, reason: t(), hint: t() },
        ...{ estimate: { ...range, measured: 'some' }, counts: COUNTS, temporary: 2, notRestored: 1 },
        ...{ damage: t(), rollsBack: t(), rolledBackBy: [t()] },
      },
      {
        ...{
          is: 'failures',
          first: { ...told(), name: t(), others: 1, causes: [t()] },
          failures: [told()],
          notStarted: [t()],
          notFinished: [told()],
        },
        causes: [{ ...told(), evidence: [t()] }],
        lost: [{ host: t(), reason: t(), hint: t() }],
      },
      {
        ...{ is: 'state', asOfMs: 0, status: t(), wait: [t()], away: [t()] },
        components: [{ component: t(), installed: t(), hosts: [t()], isDown: true, downSinceMs: 0 }],
        latestStarts: [{ of: 'resume', atMs: 0, zone: 'UTC', rollbackMs: 60_000, isPast: true }],
        inEffect: [{ name: t(), hosts: [t()] }],
      },
      { is: 'next', where: '', commands: [{ command: t(), what: t() }] },
      { is: 'phases', phases: [{ name: t(), changes: 1, takes: range }], safeStops: [t()] },
      {
        is: 'impact',
        services: [
          { title: t(), note: t(), is: 'down', hosts: many, estimate: range, measuredMs: 1000, staysDown: [t()] },
          { title: t(), is: 'in turn', hosts: [t(), t()], estimate: range, measuredMs: 1000, staysDown: [] },
        ],
      },
      {
        ...{ is: 'timeline', startMs: 0, estimateMs: 60_000, measuredMs: 90_000 },
        rows: [
          { kind: 'phase', title: t(), hosts: [], estimate: [span], measured: [span] },
          { kind: 'restart', title: t(), hosts: [t()], estimate: [span], measured: [span, span] },
        ],
        marks: [{ atMs: 1000, phase: t() }],
      },
      {
        is: 'outages',
        outages: [{ title: t(), note: t(), host: t(), fromMs: 0, toMs: 1000, isOpen: true }],
      },
      {
        is: 'back-out',
        asOfMs: 1000,
        stages: [
          { stage: t(), do: t(), takesMs: 1000, dataLoss: t(), because: t() },
          { stage: t(), do: t(), takesMs: 1000, dataLoss: t() },
        ],
        pointsOfNoReturn: [{ phase: t(), text: t(), passedMs: 1000 }],
      },
      {
        is: 'versions',
        versions: [{ package: t(), from: t(), to: t(), hosts: [t()], finished: false }],
        itemUpgrades: [t()],
      },
      { is: 'decisions', decisions: [{ ...told(), answer: t() }] },
      { is: 'warnings', warnings: [told()] },
      { is: 'approvals', roles: ['requester', 'operator', 'approver'] },
      {
        ...{ is: 'differences', plannedSteps: 3, approved: t(), total: 2, notStarted: 1 },
        before: { steps: 2, runs: [t()] },
        steps: [{ is: 'unchanged', name: t(), hosts: [t()], planned: t(), done: t(), because: t() }],
        facts: [{ name: t(), host: t(), fact: t(), key: t(), predicted: { [t()]: t() }, observed: { [t()]: t() } }],
      },
      {
        is: 'baseline',
        rows: [{ name: t(), values: [t(), t()], because: t(), tolerance: t(), isWorse: true }],
      },
      {
        is: 'closing',
        notRun: [{ play: [t(), t()], hosts: [t()], steps: [t()] }],
        staysStopped: [{ component: t(), hosts: [t()] }],
      },
      { is: 'temporary', changes: [{ name: t(), hosts: [t()], is: 'not-restored', keptAfter: [t()] }] },
      { is: 'changes', plays: [play()] },
      { is: 'checks', plays: [play()] },
      {
        ...{ is: 'origin', run: t(), approved: t(), inventory: t(), hash: t() },
        sessions: [{ verb: 'apply', atMs: 0, by: t(), version: t() }],
      },
    ],
  };
}
