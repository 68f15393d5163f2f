import { basename } from 'node:path';
import type { Project } from '../../language/project.js';
import { count } from '../../lib/count.js';
import { quote } from '../../lib/quote.js';
import { countingApprovals, type Approval } from '../../store/approvals.js';
import { EXIT, refusal } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { authorOf, type Approved } from './plan-file.js';

/** What other persons type before the plan in a file can be applied. */
export const approveLines = (
  { inventory: { approvals } }: Pick<Project, 'inventory'>,
  file: string,
): readonly string[] =>
  approvals === undefined
    ? []
    : [`runbook approve ${quote([file])}   by ${approvals === 1 ? 'another person' : `${approvals} other persons`}`];

/** Where the inventory asks for approvals, what is applied is a plan that was approved. */
export function refusePlaybook({ inventory, playbook }: Project): void {
  const { approvals, files } = inventory;
  if (approvals === undefined) return;
  throw refusal(
    EXIT.refused,
    `${basename(files[0]?.file ?? '')} asks for ${count(approvals, 'approval')}: a plan is applied, not a playbook`,
    `runbook plan ${quote([playbook.file])} -o change.plan   with the options of this command`,
    ...approveLines({ inventory }, 'change.plan'),
    'runbook apply change.plan',
  );
}

/** Where the inventory asks for approvals, no step may differ from what was approved. */
export function refuseAllowed({ inventory: { approvals } }: Project, { allow }: Flags): void {
  if (approvals === undefined || allow.length === 0) return;
  throw refusal(
    EXIT.refused,
    '--allow would apply a step that was not approved',
    'plan again, and have that plan approved',
  );
}

/** Who approved the plan, where the inventory asks for that. */
export async function approversOf(
  { file, id, sha256, plan }: Approved,
  { inventory: { approvals: needed = 0 } }: Project,
  read: (plan: string) => Promise<readonly Approval[]>,
): Promise<readonly string[]> {
  if (needed === 0) return [];
  const author = authorOf(plan);
  const approvers = countingApprovals(await read(sha256), author, Date.now()).map(({ by }) => by);
  if (approvers.length >= needed) return approvers;
  const who = approvers.length === 0 ? '' : ` (${approvers.join(', ')})`;
  const missing = needed - approvers.length;
  throw refusal(
    EXIT.refused,
    `${basename(file)} (${id}) has ${approvers.length} of ${count(needed, 'approval')}${who}; nothing was changed`,
    `runbook approve ${quote([file])}   by ${missing} more, not its author ${author}`,
  );
}
