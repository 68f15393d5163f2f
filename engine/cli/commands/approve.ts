import { existsSync } from 'node:fs';
import { nameHosts } from '../../lib/name-hosts.js';
import { quote } from '../../lib/quote.js';
import { inspectEvents, type RunFolder, type Runs } from '../../journal/run-folder.js';
import { auditLines } from '../../report/audit-lines.js';
import { printable } from '../../report/style.js';
import { addApproval, addWaiverApproval, approvalsOf, personOf, type Approval } from '../../store/approvals.js';
import type { RunStore } from '../../store/run-store.js';
import { EXIT, invalid, refusal, type Refusal } from '../options/exit.js';
import { parseFlags, type Flags } from '../options/flags.js';
import { isOfModel, refuseExpired } from '../plan/apply-plan.js';
import {
  authorOf,
  inventoryOf,
  isPlanFile,
  readPlanFile,
  sectionOf,
  timeText,
  type KeptPlan,
} from '../plan/plan-file.js';
import { runsFor } from '../run/unfinished.js';
import { isWaiver, waiverNames, withApprovals, type Waiver } from '../run/waiver-approvals.js';
import { who } from '../run/who.js';
import { noStore } from '../team/settings.js';
import type { Team } from '../team/team.js';
import { withTeam } from '../team/with-team.js';
import { unreadableRefusal } from '../terminal/io-errors.js';
import { confirm } from '../terminal/confirm.js';
import { sayLate } from '../terminal/say-late.js';
import { mayBeRun, pickRun } from './show.js';

/**
 * `runbook approve PLAN|RUN`: records in the team's store that this person approves exactly this plan, or what others waived in this run;
 * `--show` only shows who did.
 */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('approve', argv);
  const [named, ...more] = flags.positionals;
  if (named === undefined || more.length > 0)
    throw invalid(
      'approve takes one plan, which plan -o wrote, or one run that waived a requirement: runbook approve change.plan',
    );
  return mayBeRun(named) && !isPlanFile(named) ? approveRun(flags) : approvePlan(named, flags);
}

function approvePlan(file: string, flags: Flags): Promise<number> {
  const kept = readPlanFile(file);
  return withStore(runsFor({ ...flags, inventory: inventoryHere(kept, flags) }), ({ store }) =>
    approve(store, file, kept, flags),
  );
}

const withStore = (runs: Runs, act: (team: Team) => Promise<number>): Promise<number> =>
  withTeam(runs, (team) => {
    if (team === undefined)
      throw noStore(runs.inventory, 'approvals need a store, and none is configured', '; another inventory: -i');
    return act(team);
  });

/** The inventory of the plan says which store; on a machine without it the one that is named or found here does. */
function inventoryHere({ plan }: KeptPlan, { inventory }: Flags): Flags['inventory'] {
  const own = inventoryOf(plan).inventory ?? [];
  return inventory ?? (own.every((one) => existsSync(one)) ? own : undefined);
}

/** Where `--expires` is not given. */
const LASTS_MS = 24 * 3_600_000;

async function approve(store: RunStore, file: string, kept: KeptPlan, flags: Flags): Promise<number> {
  const { sha256, plan } = kept;
  const lines = [...planLines(file, kept), ...approvalLines(await approvalsOf(store, sha256), authorOf(plan))];
  const out = flags.show ? process.stdout : process.stderr;
  out.write(printable(`${lines.join('\n')}\n`));
  if (flags.show) return EXIT.done;
  const { by } = who();
  refuseApproval(file, kept, by);
  await confirm(flags, { question: 'Approve this plan? [y/N]', declined: 'Not approved.' });
  const atMs = Date.now();
  const untilMs = atMs + (flags.expiresMs ?? LASTS_MS);
  await addApproval(store, { plan: sha256, by, atMs, untilMs });
  process.stdout.write(`Approved by ${by} until ${timeText(untilMs)}.\nApply it:  runbook apply ${quote([file])}\n`);
  return EXIT.done;
}

function refuseApproval(file: string, { plan }: KeptPlan, by: string): void {
  if (!isOfModel(plan)) refuseExpired(file, plan.untilMs, Date.now());
  const author = authorOf(plan);
  if (personOf(author) !== personOf(by)) return;
  throw refusal(EXIT.refused, `${file} was made by ${author}, who cannot approve it`, 'another person approves it');
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

/** The run may be over, or go on elsewhere: nothing is recorded in it. */
function approveRun(flags: Flags): Promise<number> {
  if (flags.expiresMs !== undefined) throw invalid('--expires is for plans: the approval of a waiver does not expire');
  const runs = runsFor(flags);
  return withStore(runs, async (team) => {
    const [{ readTeam }, { saySetAside }] = await Promise.all([import('../team/team.js'), import('../team/shared.js')]);
    saySetAside(await sayLate("Reading the runs of the team's store", readTeam(team, runs)));
    const folder = pickRun('approve', flags);
    const { events, damage } = inspectEvents(folder);
    if (damage !== undefined) throw unreadableRefusal(EXIT.refused, { folder, damage });
    const waivers = events.filter(isWaiver);
    if (waivers.length > 0) return approveWaivers(team.store, folder, waivers, flags);
    throw refusal(EXIT.invalid, `the run ${folder.id} has no waiver that others are to approve`);
  });
}

async function approveWaivers(
  store: RunStore,
  folder: RunFolder,
  waivers: readonly Waiver[],
  flags: Flags,
): Promise<number> {
  const shown = await withApprovals(store, folder, waivers);
  const out = flags.show ? process.stdout : process.stderr;
  out.write(`Run ${folder.id}\n${waiverLines(shown)}\n`);
  if (flags.show) return EXIT.done;
  const { by } = who();
  const open = shown.filter(isWaiver);
  const mine = open.filter(({ event }) => isOpenTo(event, by));
  if (mine.length === 0) throw noneToApprove(folder, open, by);
  await confirm(flags, { question: 'Approve what was waived? [y/N]', declined: 'Not approved.' });
  for (const waiver of waiverNames(folder, mine)) await addWaiverApproval(store, { waiver, by, atMs: Date.now() });
  const now = await withApprovals(store, folder, waivers);
  process.stdout.write(`Approved by ${by}.\n${waiverLines(now)}\n`);
  return EXIT.done;
}

const waiverLines = (waivers: readonly Waiver[]): string => auditLines(waivers, false).join('\n');

/** Whether this person neither waived nor approved it. */
const isOpenTo = ({ by: waivedBy = '', waiverApprovals = [] }: Waiver['event'], by: string): boolean =>
  [waivedBy, ...waiverApprovals.map((approval) => approval.by)].every((one) => personOf(one) !== personOf(by));

function noneToApprove({ id }: RunFolder, open: readonly Waiver[], by: string): Refusal {
  if (open.length === 0) return refusal(EXIT.refused, `what was waived in the run ${id} is already approved`);
  const isOwn = open.every(({ event }) => personOf(event.by ?? '') === personOf(by));
  return refusal(
    EXIT.refused,
    isOwn ? `this was waived by ${by}, who cannot approve it` : `${by} has already approved this`,
    'another person approves it',
  );
}
