import { packageState, type PackageState } from '../facts/package.js';
import { render } from '../language/render.js';
import { need } from '../terms/fact.js';
import type { Reading } from './facts.js';
import { leftOutOf } from './left-out.js';
import type { Run } from './run.js';
import { scopeOf } from './scope.js';
import { think } from './think.js';

/** Why the run cannot begin. */
export interface Refused {
  readonly as: 'unreachable' | 'refused';
  readonly reason: string;
}

interface Asked {
  readonly host: string;
  readonly versions: readonly (readonly [component: string, reading: Reading])[];
}

/**
 * The versions upgraded from are read once, before anything changes, on every host. A host that cannot be reached ends the run here,
 * unless the run can do without it: then it is left out. Gives why the run cannot begin, or undefined.
 */
export async function recordFrom(run: Run): Promise<Refused | undefined> {
  const asked = await askVersions(
    run,
    concerned(run).filter((host) => !run.journal.state.from.has(host)),
  );
  const denied: string[] = [];
  const away: string[] = [];
  for (const { host, versions } of asked) {
    const failed = versions.map(([, r]) => r).find((r) => 'failed' in r);
    if (failed === undefined || !('failed' in failed)) {
      run.journal.emit({ e: 'from', host, versions: Object.fromEntries(versions.map(([c, r]) => [c, versionIn(r)])) });
      continue;
    }
    const { why, reason, hint } = failed.failed;
    const leftOut = why === 'unreachable' || run.options.withoutDenied === true ? leftOutOf(run, host) : {};
    run.journal.emit({ e: 'host-lost', host, reason, ...(hint === undefined ? {} : { hint }), ...leftOut });
    if (leftOut.leftOut !== true) (why === 'unreachable' ? away : denied).push(host);
  }
  // A host that answers and lets nobody work on it (a wrong key or password) is there: that is a refusal.
  const needed = away.length === 0 && denied.length === 0 && isNobodyLeft(run) ? asked.map(({ host }) => host) : away;
  if (needed.length > 0)
    return { as: 'unreachable', reason: `${needed.join(', ')}: not reachable; nothing was changed` };
  if (denied.length > 0)
    return { as: 'refused', reason: `${denied.join(', ')}: cannot be worked on; nothing was changed` };
  return undefined;
}

const isNobodyLeft = (run: Run): boolean => {
  const { lost } = run.journal.state;
  return lost.size > 0 && concerned(run).every((host) => lost.has(host));
};

const concerned = (run: Run): readonly string[] =>
  run.project.inventory.hosts.flatMap(({ name }) => (run.options.limit?.has(name) === false ? [] : [name]));

const versionIn = (r: Reading): string | null =>
  'known' in r && r.known ? (r.value as unknown as PackageState).installed : null;

/** What the hosts have now of which a run recorded what they had, by component. One that cannot be asked is absent, and nothing is kept. */
export async function versionsNow(run: Run): Promise<ReadonlyMap<string, Readonly<Record<string, PackageState>>>> {
  const asked = await askVersions(run, [...run.journal.state.from.keys()]);
  run.facts.forgetHosts();
  return new Map(
    asked.flatMap(({ host, versions }) => {
      const states = versions.flatMap(([c, r]) =>
        'known' in r && r.known ? [[c, r.value as unknown as PackageState] as const] : [],
      );
      return states.length < versions.length ? [] : [[host, Object.fromEntries(states)] as const];
    }),
  );
}

function askVersions(run: Run, hosts: readonly string[]): Promise<readonly Asked[]> {
  const { components } = run.project.platform;
  return think(run, (peek) =>
    hosts.map((host) => ({
      host,
      versions: components.map((component) => {
        const rendered = render(`{{${component}.package}}`, scopeOf(run, { host }, peek, []));
        const name = rendered.is === 'value' && typeof rendered.value === 'string' ? rendered.value : component;
        return [component, peek(need({ host }, packageState, name))] as const;
      }),
    })),
  );
}
