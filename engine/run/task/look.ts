import { masked } from '../../modules/shared/mask.js';
import type { Need } from '../../terms/fact.js';
import { hintText, type Hint } from '../../terms/hint.js';
import { decideTask, type TaskAt } from './decide.js';
import type { Decided } from './decision.js';
import { evidenceOf, remedyText } from './evidence.js';
import type { Run } from '../run.js';
import { settled, settleFailed, skipped, stepLabel, warn, type TaskEnd } from './settle.js';

/**
 * A step with a `remedy`: it only reads, in an apply too. What is not as wanted is recorded as `found` with evidence and remedy, what
 * could not be read as `undecided`; neither stops the steps after it. Only a host that is lost does.
 */
export async function lookTask(run: Run, at: TaskAt, ahead: () => readonly Need[]): Promise<TaskEnd> {
  const decision = await decideTask(run, at, ahead);
  switch (decision.is) {
    case 'skip':
      return skipped(run, at, decision.because);
    case 'failed':
      return decision.unreachable === undefined ? notFound(run, at, decision.reason) : settleFailed(run, at, decision);
    case 'unknown':
      return notFound(run, at, decision.because);
    case 'waiting':
      return decision.unknown === undefined ? found(run, at, decision) : notFound(run, at, decision.unknown.because);
    case 'blocked':
    case 'change':
      return found(run, at, decision);
    case 'ok':
      return asWanted(run, at, decision);
  }
}

type Finding = Decided<'blocked' | 'waiting' | 'change'>;

async function found(run: Run, at: TaskAt, decision: Finding): Promise<TaskEnd> {
  const [evidence, remedy] = await Promise.all([
    evidenceOf(run, at),
    at.step.remedy === undefined ? masked(hintText(hintOf(decision) ?? '')) : remedyText(run, at),
  ]);
  const tags = [...(at.position.play?.tags ?? []), ...at.step.tags];
  run.journal.emit({ e: 'found', ...stepLabel(at), tags, text: masked(textOf(decision)), evidence, remedy });
  return settled(run, at, { as: 'ok', changed: false, reason: 'found, and reported', tookMs: 0 });
}

const hintOf = (finding: Finding): Hint | undefined =>
  finding.is === 'blocked' ? finding.hint : finding.is === 'waiting' ? finding.failure?.hint : undefined;

/** What the operator reads first. A state that is not as wanted is a finding too: the change that it would take says what differs. */
function textOf(finding: Finding): string {
  switch (finding.is) {
    case 'blocked':
      return finding.reason;
    case 'waiting':
      return finding.failure?.reason === undefined
        ? `waits for ${finding.for}`
        : `${finding.failure.reason} (${finding.for})`;
    case 'change':
      return finding.change.summary;
  }
}

/** Nothing was found, one way or the other. */
export function notFound(run: Run, at: TaskAt, because: string): TaskEnd {
  run.journal.emit({ e: 'undecided', ...stepLabel(at), because: masked(because), dependsOn: [], touches: [] });
  return 'well';
}

function asWanted(run: Run, at: TaskAt, { because, value, warnings = [] }: Decided<'ok'>): TaskEnd {
  const registered = at.step.register === undefined ? undefined : value;
  settled(run, at, { as: 'ok', changed: false, reason: masked(because), value: registered, tookMs: 0 });
  warn(run, at, warnings);
  return 'well';
}
