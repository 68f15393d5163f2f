import { existsSync } from 'node:fs';
import { nameHosts } from '../../lib/name-hosts.js';
import { quote } from '../../lib/quote.js';
import { addApproval, approvalsOf, personOf, type Approval } from '../../store/approvals.js';
import type { RunStore } from '../../store/run-store.js';
import { printable } from '../../report/style.js';
import { EXIT, invalid, sorry } from '../options/exit.js';
import { parseFlags, type Flags } from '../options/flags.js';
import { isOfModel, refuseExpired } from '../plan/apply-plan.js';
import { authorOf, inventoryOf, readPlanFile, sectionOf, timeText, type KeptPlan } from '../plan/plan-file.js';
import { runsFor } from '../run/unfinished.js';
import { who } from '../run/who.js';
import { noStore } from '../team/settings.js';
import { withTeam } from '../team/with-team.js';
import { ask, isAttended, isYes } from '../terminal/prompt.js';

/** `runbook approve PLAN`: records in the team's store that this person approves exactly this plan; `--show` only shows who did. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('approve', argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  const [file, ...more] = flags.positionals;
  if (file === undefined || more.length > 0)
    return invalid('approve takes one plan, which plan -o wrote: runbook approve change.plan');
  const kept = readPlanFile(file);
  if ('mistake' in kept) return invalid(kept.mistake);
  const runs = runsFor({ ...flags, inventory: inventoryHere(kept, flags) });
  return withTeam(runs, (team) =>
    team === undefined
      ? Promise.resolve(
          noStore(runs.inventory, 'approvals need a store, and none is configured', '; another inventory: -i'),
        )
      : approve(team.store, file, kept, flags),
  );
}

/** The inventory of the plan says which store; on a machine without it the one that is named or found here does. */
function inventoryHere({ plan }: KeptPlan, { inventory }: Flags): Flags['inventory'] {
  const own = inventoryOf(plan).inventory ?? [];
  return inventory ?? (own.every((one) => existsSync(one)) ? own : undefined);
}

async function approve(store: RunStore, file: string, kept: KeptPlan, flags: Flags): Promise<number> {
  const { sha256, plan } = kept;
  const lines = [...planLines(file, kept), ...approvalLines(await approvalsOf(store, sha256), authorOf(plan))];
  const out = flags.show ? process.stdout : process.stderr;
  out.write(printable(`${lines.join('\n')}\n`));
  if (flags.show) return EXIT.done;
  const { by } = who();
  const refused = refuse(file, kept, by) ?? (await mayApprove(flags));
  if (refused !== undefined) return refused;
  const atMs = Date.now();
  const untilMs = atMs + flags.expiresMs;
  await addApproval(store, { plan: sha256, by, atMs, untilMs });
  process.stdout.write(`Approved by ${by} until ${timeText(untilMs)}.\nApply it:  runbook apply ${quote([file])}\n`);
  return EXIT.done;
}

function refuse(file: string, { plan }: KeptPlan, by: string): number | undefined {
  const expired = isOfModel(plan) ? undefined : refuseExpired(file, plan.untilMs, Date.now());
  if (expired !== undefined) return expired;
  const author = authorOf(plan);
  if (personOf(author) !== personOf(by)) return undefined;
  return sorry(EXIT.refused, `${file} was made by ${author}, who cannot approve it`, 'another person approves it');
}

async function mayApprove({ yes }: Flags): Promise<number | undefined> {
  if (yes) return undefined;
  if (!isAttended()) return invalid('a confirmation is needed and there is no terminal; use -y');
  if (isYes(await ask('Approve this plan? [y/N]'))) return undefined;
  process.stderr.write('Not approved.\n');
  return EXIT.refused;
}

function planLines(file: string, { id, sha256, plan }: KeptPlan): readonly string[] {
  const hosts = plan.steps.map(({ host }) => host);
  const target = sectionOf(plan, 'summary')?.target;
  return [
    `${file} (${id})`,
    `  Playbook   ${plan.document.title}`,
    `  Inventory  ${sectionOf(plan, 'origin')?.inventory ?? ''}`,
    ...(target === undefined ? [] : [`  Target     ${target}`]),
    `  Changes    ${plan.steps.length} on ${nameHosts(hosts)}`,
    `  Made       ${timeText(plan.atMs)} by ${authorOf(plan)}, valid until ${timeText(plan.untilMs)}`,
    `  SHA-256    ${sha256}`,
  ];
}

function approvalLines(all: readonly Approval[], author: string): readonly string[] {
  if (all.length === 0) return ['Approvals: none'];
  const state = ({ by, untilMs }: Approval): string => {
    if (personOf(by) === personOf(author)) return 'does not count: of its author';
    return `${Date.now() > untilMs ? 'expired' : 'until'} ${timeText(untilMs)}`;
  };
  return ['Approvals:', ...all.map((one) => `  ${timeText(one.atMs)}  ${one.by}  ${state(one)}`)];
}
