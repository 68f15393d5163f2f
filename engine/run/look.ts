import type { Verdict } from '../terms/change.js';
import { hintText } from '../terms/hint.js';
import type { Json } from '../terms/json.js';
import type { Need } from '../terms/fact.js';
import { decideTask, type TaskAt } from './decide.js';
import { masked } from '../modules/shared/mask.js';
import { evidenceOf, remedyText } from './evidence.js';
import type { Run } from './run.js';
import { settleUndecided, toldOf, warn, type TaskEnd } from './settle.js';

/**
 * A step with a `remedy`: it only reads, in an apply too. What is not as wanted is recorded as `found` with evidence and remedy (§7), what
 * could not be read as `undecided`; neither stops the steps after it. Only a host that is lost does.
 */
export async function lookTask(run: Run, at: TaskAt, ahead: () => readonly Need[]): Promise<TaskEnd> {
  const { step, task } = at;
  const decided = await decideTask(run, at, ahead);
  if (decided.is === 'skip')
    return (run.journal.emit({ e: 'task-skipped', task, name: step.name, because: decided.because }), 'well');
  if (decided.is === 'failed' && decided.failure.why === 'unreachable') return settleUndecided(run, at, decided);
  if (decided.is === 'failed') return untold(run, at, decided.failure.reason);
  if (decided.is === 'wrong') return untold(run, at, decided.message);
  if (decided.is === 'unknown') return untold(run, at, decided.because);
  const { verdict } = decided;
  if (verdict.is === 'waiting' && verdict.unknown !== undefined) return untold(run, at, verdict.unknown);
  if (verdict.is !== 'ok') await tellFound(run, at, verdict);
  settle(run, at, verdict);
  if (verdict.is === 'ok') warn(run, at, verdict.warnings ?? []);
  return 'well';
}

type Judged = Exclude<Verdict, { is: 'more' }>;
type Finding = Exclude<Judged, { is: 'ok' }>;

const hintOf = (verdict: Finding): string =>
  hintText(
    (verdict.is === 'blocked' ? verdict.hint : verdict.is === 'waiting' ? verdict.failure?.hint : undefined) ?? '',
  );

/** What the operator reads first. A state that is not as wanted is a finding too: the change that it would take says what differs. */
function textOf(verdict: Finding): string {
  switch (verdict.is) {
    case 'blocked':
      return verdict.reason;
    case 'waiting':
      return verdict.failure?.reason === undefined
        ? `waits for ${verdict.for}`
        : `${verdict.failure.reason} (${verdict.for})`;
    case 'change':
      return verdict.change.summary;
  }
}

async function tellFound(run: Run, at: TaskAt, verdict: Finding): Promise<void> {
  const [evidence, remedy] = await Promise.all([
    evidenceOf(run, at),
    at.step.remedy === undefined ? masked(hintOf(verdict)) : remedyText(run, at),
  ]);
  const tags = [...(at.position.play?.tags ?? []), ...at.step.tags];
  run.journal.emit({ e: 'found', ...toldOf(at), tags, text: masked(textOf(verdict)), evidence, remedy });
}

/** Nothing was found, one way or the other. */
function untold(run: Run, at: TaskAt, because: string): TaskEnd {
  run.journal.emit({ e: 'undecided', ...toldOf(at), because: masked(because), dependsOn: [], touches: [] });
  return 'well';
}

function settle(run: Run, at: TaskAt, verdict: Judged): void {
  const value: Json | undefined = verdict.is === 'ok' && at.step.register !== undefined ? verdict.value : undefined;
  run.journal.emit({
    e: 'settled',
    ...toldOf(at),
    as: 'ok',
    changed: false,
    reason: verdict.is === 'ok' ? masked(verdict.because) : 'found, and told',
    ...(value === undefined ? {} : { value }),
    tookMs: 0,
  });
}
