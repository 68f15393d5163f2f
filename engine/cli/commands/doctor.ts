import { existsSync } from 'node:fs';
import path from 'node:path';
import type { OpenRun } from '../../journal/run-folder.js';
import { modelHosts } from '../../language/inventory/model-hosts.js';
import type { Project } from '../../language/project.js';
import { byReason, isClean, itemsOf, type DoctorReport, type NotChecked } from '../../report/checks/doctor-report.js';
import { needsOf } from '../../report/checks/needs.js';
import { doctorView } from '../../report/checks/doctor-view.js';
import { withKeptStopped } from '../../report/end/kept-stopped.js';
import { runAll } from '../../run/start.js';
import type { Endpoint, Host, Inventory } from '../../terms/inventory.js';
import type { Reader } from '../../terms/machine.js';
import { textParts } from '../../terms/secret.js';
import { choose, copyOf, hashOf } from '../run/choice.js';
import { accessOf, secretProblems, type Part } from '../doctor/access.js';
import { endpointProblems, keepRefused, refusedProblems } from '../doctor/endpoints.js';
import { printNeeds } from '../doctor/needs.js';
import { permissionsOf } from '../doctor/permissions.js';
import { storePart } from '../doctor/store.js';
import { systemdWarnings } from '../doctor/systemd.js';
import { zonesPart } from '../doctor/zones.js';
import { behindHosts, withoutUnreachable } from '../doctor/unreachable.js';
import { openDoors, type Doors } from '../run/doors.js';
import { EXIT, Refusal } from '../options/exit.js';
import { parseFlags, type Flags } from '../options/flags.js';
import { platform as ways } from '../platforms.js';
import { terminalOf } from '../terminal/terminal.js';
import { keptStopped } from '../run/kept-stopped.js';
import { loadProject, shippedDir } from '../options/project.js';
import { openSession } from '../run/session.js';
import { writeVersion } from '../terminal/sinks.js';
import { warnOfUnfinished } from '../run/unfinished.js';
import { jsonText } from '../../report/json-text.js';

/** The checks of a platform; one of that name beside the platform file of the playbook comes before the shipped one. */
const DOCTOR = 'doctor.yaml';

/**
 * `runbook doctor [PLAYBOOK]`: what is right and wrong for an upgrade, on each host and endpoint, with the fix. It has no means to change
 * anything. 0 no problem; 1 problems, or checks that could not be made.
 */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('doctor', argv);
  const [playbook = DOCTOR] = flags.positionals;
  const asked = await loadProject(
    { ...flags, positionals: [playbook, ...flags.positionals.slice(1)] },
    flags.needs ? 'draft' : 'work',
  );
  if (flags.needs) return printNeeds(asked, flags.json);
  const project = await checksFor(asked, flags);
  const choice = choose(project, flags);
  const doors = await openDoors({ project, flags, needsWorkers: false });
  try {
    const unfinished = warnOfUnfinished(flags);
    const report = await examine(asked, choice.project, {
      doors,
      flags,
      limit: choice.limit,
      unfinished,
    });
    if (flags.json) {
      writeVersion('runbook-doctor');
      process.stdout.write(`${doors.secrets.redact(jsonText(report))}\n`);
    } else
      process.stdout.write(
        `${doors.secrets.redact(doctorView(report, terminalOf(process.stdout), flags.verbosity > 0))}\n`,
      );
    return isClean(report) ? EXIT.done : EXIT.failed;
  } finally {
    await doors.close();
  }
}

/** The project with the checks of its platform; without any where the platform has none: access and secrets are checked all the same. */
async function checksFor(asked: Project, flags: Flags): Promise<Project> {
  const directory = path.dirname(asked.playbook.files.at(-1)?.file ?? '');
  const file = [path.join(directory, DOCTOR), ...(directory === shippedDir() ? [DOCTOR] : [])].find((one) =>
    existsSync(one),
  );
  if (file === undefined) return { ...asked, playbook: { ...asked.playbook, plays: [] } };
  return loadProject({ ...flags, positionals: [file] });
}

interface Examining {
  readonly doors: Doors;
  readonly flags: Flags;
  readonly limit: ReadonlySet<string> | undefined;
  /** Of this inventory: what it keeps stopped is not to be started. */
  readonly unfinished: OpenRun | undefined;
}

async function examine(
  asked: Project,
  project: Project,
  { doors, flags, limit, unfinished }: Examining,
): Promise<DoctorReport> {
  const hosts = project.inventory.hosts.filter(({ name }) => limit?.has(name) !== false);
  const [access, systemd, store, zones] = await Promise.all([
    accessOf(hosts, doors.fleet.reader),
    systemdWarnings(asked, hosts, doors.fleet.reader),
    storePart(flags, doors.zones?.away),
    zonesPart(project.inventory, doors.zones),
  ]);
  const unreachable = new Map(
    behindHosts(Object.values(project.inventory.endpoints), project.inventory.hosts, new Set(access.unreachable)),
  );
  const { reader, refused } = keepRefused(
    withoutUnreachable(doors.fleet.reader, Object.values(project.inventory.endpoints), unreachable),
  );
  const { secrets, endpoints, permissions } = await examineEndpoints(project, doors, reader, unreachable);
  const { name: title } = asked.playbook;
  const reached = new Set(access.reached);
  const isChecked = project.playbook.plays.length > 0;
  const checked =
    isChecked && reached.size > 0
      ? await runChecks(project, {
          doors: { ...doors, fleet: { ...doors.fleet, reader } },
          flags,
          limit: reached,
          unfinished,
        })
      : undefined;
  return {
    title: title === project.playbook.name ? title : `Doctor: ${title}`,
    hosts: hosts.length,
    ...modelHosts(project.inventory, hosts),
    problems: [
      ...store.problems,
      ...zones.problems,
      ...secrets.problems,
      ...access.problems,
      ...endpoints.problems,
      ...permissions.problems,
      ...refusedProblems(refused, project, permissions.lacking),
      ...(checked?.problems ?? []),
    ],
    warnings: [...store.warnings, ...systemd, ...(checked?.warnings ?? [])],
    notChecked: byReason([
      ...(isChecked ? notReached(hosts, reached) : []),
      ...(checked?.notChecked ?? []),
      ...endpoints.notChecked,
      ...permissions.notChecked,
    ]),
    groups: [
      ...store.groups,
      ...zones.groups,
      ...secrets.groups,
      ...access.groups,
      ...endpoints.groups,
      ...permissions.groups,
      ...(checked?.groups ?? []),
    ],
  };
}

/** An endpoint is asked only with a secret that has a value. One that cannot be reached is added to `unreachable`, and not asked again. */
async function examineEndpoints(
  project: Project,
  doors: Doors,
  reader: Reader,
  unreachable: Map<string, string>,
): Promise<{
  readonly secrets: Part;
  readonly endpoints: Awaited<ReturnType<typeof endpointProblems>>;
  readonly permissions: Awaited<ReturnType<typeof permissionsOf>>;
}> {
  const secrets = await secretProblems(project.inventory, doors.secrets);
  const open = withSecrets(project.inventory, secrets.missing);
  const endpoints = await endpointProblems(open, reader, unreachable);
  for (const [key, reason] of endpoints.closed) unreachable.set(key, reason);
  const needed = needsOf(project).permissions;
  const permissions = await permissionsOf(needed, open, ways.ownPermissions, reader, unreachable);
  return { secrets, endpoints, permissions };
}

/** Endpoints whose secrets have values: what another one lacks is reported as that. */
const withSecrets = ({ endpoints }: Inventory, missing: readonly string[]): readonly Endpoint[] =>
  Object.values(endpoints).filter(
    ({ password = '' }) =>
      !textParts(password).some((part) => typeof part !== 'string' && missing.includes(part.$secret)),
  );

function notReached(hosts: readonly Host[], reached: ReadonlySet<string>): readonly NotChecked[] {
  const away = hosts.map(({ name }) => name).filter((name) => !reached.has(name));
  return away.length === 0 ? [] : [{ code: 'no-access', hosts: away, checks: [] }];
}

async function runChecks(
  project: Project,
  { doors, flags, limit, unfinished }: Examining,
): Promise<ReturnType<typeof itemsOf>> {
  const session = await openSession({
    project,
    flags: { ...flags, json: false },
    verb: 'diagnose',
    doors,
    ...(limit === undefined ? {} : { limit }),
  });
  try {
    const hash = hashOf(copyOf(project, flags, limit));
    const inventory = project.inventory.files[0]?.file ?? '';
    const end = await runAll(session.run, { run: `doctor-${hash.slice(0, 8)}`, verb: 'diagnose', hash, inventory });
    if (end === 'interrupted') throw new Refusal(EXIT.interrupted);
    const stopped = unfinished && (await keptStopped(session.run, unfinished, flags));
    return itemsOf(withKeptStopped(session.events, stopped), project.playbook);
  } finally {
    await session.close();
  }
}
