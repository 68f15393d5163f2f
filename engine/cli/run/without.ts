import { isSettledWell, type RunState } from '../../journal/state.js';
import type { Project } from '../../language/project.js';
import { didYouMean } from '../options/did-you-mean.js';
import { compareByPrefix } from '../../lib/version.js';
import { packagesPut } from '../../report/plan/packages-put.js';
import type { Recorded } from '../../terms/event.js';
import { EXIT, invalid, refusal } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { whereOfRun, type Unfinished } from './unfinished.js';
import { SAME_VERSION } from './waive.js';

/** A host of `--without` that the inventory does not have is a typing mistake. */
export function refuseUnknownWithout({ inventory }: Project, { without }: Flags): void {
  const names = inventory.hosts.map(({ name }) => name);
  const unknown = [...(without ?? [])].find((host) => !names.includes(host));
  if (unknown !== undefined)
    throw invalid(`--without: the inventory has no host "${unknown}"${didYouMean(unknown, names)}`);
}

/** Refuses where the run cannot continue without a host, unless that rule is waived. */
export function refuseWithout(unfinished: Unfinished, flags: Flags): void {
  const where = whereOfRun(unfinished.copy, flags);
  for (const host of flags.without ?? []) {
    const reason = whyNot(unfinished, host);
    if (reason === undefined) continue;
    if ((unfinished.copy.waive ?? []).includes(SAME_VERSION)) {
      process.stderr.write(`Warning: waived: ${reason}\n`);
      continue;
    }
    throw refusal(
      EXIT.refused,
      reason,
      `runbook close --without ${host}${where}   closes the run without it`,
      `runbook resume${where}   continues the run once ${host} is back`,
      `runbook resume --without ${host} --waive ${SAME_VERSION} --reason TEXT${where}   upgrades the others all the same`,
    );
  }
}

function whyNot({ project, past, state }: Unfinished, host: string): string | undefined {
  const { sameVersion } = project.platform;
  if (sameVersion === undefined) return undefined;
  const { components, spec, failedSpec } = sameVersion;
  const from = state.from.get(host) ?? {};
  const own = components.filter((component) => from[component] != null);
  if (own.length === 0) return undefined;
  const half = halfDone(state, host);
  if (half !== undefined)
    return `§${failedSpec}: the upgrade of ${host} stopped in "${half}"; the next component is not upgraded after one that failed`;
  const target = project.inventory.platform['target'];
  if (typeof target !== 'string') return undefined;
  const isTarget = (version: string): boolean => compareByPrefix(version, target) === 0;
  const below = own.filter((component) => !isTarget(from[component] ?? ''));
  const put = [...(packagesPut(past, state).get(host)?.values() ?? [])].filter(
    (p) => p.finished && isTarget(p.version),
  );
  return below.length <= put.length
    ? undefined
    : `§${spec}: ${below.join(', ')} on ${host} would stay at ${below.map((c) => from[c] ?? '').join(', ')} while the others get ${target}`;
}

const halfDone = (state: RunState, host: string): string | undefined =>
  [...state.tasks.values()].find(
    (t) =>
      'host' in t.task.on && t.task.on.host === host && t.acted === true && t.open !== undefined && !isSettledWell(t),
  )?.name;

/** What is true of the platform once a run is closed without hosts. */
export function withoutLines(
  past: readonly Recorded[],
  state: RunState,
  { platform }: Project,
  flags: Flags,
): readonly string[] {
  return [...(flags.without ?? [])].flatMap((host) => {
    const notRestored = [...state.temporaryChanges.values()].flatMap(({ name, task }) =>
      'host' in task.on && task.on.host === host ? [name] : [],
    );
    const half = halfDone(state, host);
    const put = [...(packagesPut(past, state).get(host) ?? [])].flatMap(([name, { version, finished }]) =>
      finished ? [`${name} ${version}`] : [],
    );
    return [
      `Without ${host}: nothing is restored there, and what it has is not known.`,
      ...(half === undefined ? [] : [`  Partially upgraded: it stopped in "${half}".`]),
      ...(put.length === 0 ? [] : [`  Upgraded before: ${put.join(', ')}`]),
      ...(notRestored.length === 0 ? [] : [`  Not restored there: ${[...new Set(notRestored)].join(', ')}`]),
      ...(platform.sameVersion === undefined
        ? []
        : [
            `  Do not start its services before it has the version of the other hosts (§${platform.sameVersion.spec}).`,
          ]),
    ];
  });
}
