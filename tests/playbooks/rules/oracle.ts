import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { pathOfTask } from '../../../engine/facts/pending-task.js';
import { compareVersions } from '../../../engine/lib/version.js';
import { textOf } from '../../mutate/look.js';

/*
 * What §7, §8 and §9.2 allow, judged by the state of the model alone: none of the playbooks' own checks and facts is asked. In sentences, so
 * that what was so before is known again.
 */

const COMPONENTS = ['indexer', 'manager', 'dashboard', 'agent'] as const;
type Component = (typeof COMPONENTS)[number];

interface Part {
  readonly host: string;
  readonly component: Component;
  /** Without its revision. */
  readonly version: string;
}

const partsOf = (state: PlatformState): readonly Part[] =>
  Object.entries(state.hosts).flatMap(([host, { packages }]) =>
    COMPONENTS.flatMap((component) => {
      const version = packages[`platform-${component}`]?.version ?? undefined;
      return version === undefined ? [] : [{ host, component, version: version.replace(/-.*$/, '') }];
    }),
  );

const isNewer = (a: string, b: string): boolean => (compareVersions(a, b) ?? 0) > 0;

/** Each version that may not be, by itself or beside another. */
function wrongVersions(state: PlatformState): readonly string[] {
  const parts = partsOf(state);
  const enrolled = state.management.agents.flatMap(({ id, name, version }) =>
    id === '000'
      ? []
      : [{ host: `${name} of the API`, component: 'agent' as const, version: (version ?? '0').replace(/^v/, '') }],
  );
  return [...parts, ...enrolled].flatMap((part) => [
    ...parts
      .filter((other) => isNewer(part.version, other.version) && mayNotBeAbove(part, other))
      .map((other) => `${part.host} ${part.version} above ${other.host} ${other.version}`),
    ...wrongAlone(part),
  ]);
}

function mayNotBeAbove(part: Part, other: Part): boolean {
  switch (part.component) {
    case 'indexer':
      return false;
    case 'manager':
      return other.component === 'indexer';
    case 'dashboard':
      return other.component === 'indexer' || other.component === 'manager';
    case 'agent':
      return other.component === 'manager';
  }
}

function wrongAlone({ host, component, version }: Part): readonly string[] {
  if (isNewer(version, '4.14.0') && !version.startsWith('4.14.')) return [`${host} is of another release line`];
  return component !== 'agent' && isNewer('4.12.0', version) ? [`${host} is below the floor`] : [];
}

const MASTER = 'server-1';

const fileOf = (state: PlatformState, host: string, task: string): string | undefined =>
  textOf(state, host, pathOfTask(task));

const comesBefore = (one: Part, part: Part): boolean =>
  COMPONENTS.indexOf(one.component) < COMPONENTS.indexOf(part.component) ||
  (one.component === 'manager' && part.component === 'manager' && part.host === MASTER);

/** Judges a run effect by effect. What was wrong before it began, and is no worse, is no fault of the run. */
export class Oracle {
  readonly faults = new Set<string>();
  readonly #before: ReadonlySet<string>;
  #parts: readonly Part[];

  constructor(
    state: PlatformState,
    private readonly target: string,
  ) {
    this.#before = new Set(wrongVersions(state));
    this.#parts = partsOf(state);
  }

  /** Before an act, and once after the last. */
  look(state: PlatformState, act = ''): void {
    for (const wrong of wrongVersions(state)) if (!this.#before.has(wrong)) this.faults.add(wrong);
    const parts = partsOf(state);
    for (const [i, part] of parts.entries())
      if (isNewer(part.version, this.#parts[i]?.version ?? part.version)) this.#raised(part, parts, state);
    this.#parts = parts;
    this.#judge(act, state);
  }

  /** §9.2: the master comes after its workers. §7: nothing comes after a failed component. */
  #raised(part: Part, parts: readonly Part[], state: PlatformState): void {
    const { host, component, version } = part;
    for (const other of parts.filter((one) => one.host !== host && comesBefore(one, part))) {
      if (other.component === component && isNewer(version, other.version))
        this.faults.add(`the master before ${other.host}`);
      if (fileOf(state, other.host, `upgrade-of-${other.component}`) !== undefined)
        this.faults.add(`${component} of ${host} after the unfinished ${other.component} of ${other.host}`);
    }
    if (component !== 'indexer' && fileOf(state, 'indexer-1', 'security-configuration') === 'pending\n')
      this.faults.add(`${component} of ${host} while a push is due`);
  }

  #judge(act: string, state: PlatformState): void {
    const indexers = partsOf(state).filter(({ component }) => component === 'indexer');
    const below = indexers.filter(({ version }) => isNewer(this.target, version)).map(({ host }) => host);
    const elected = state.cluster.elected ?? '';
    if (act === `${elected}: systemctl stop platform-indexer` && below.includes(elected) && below.length > 1)
      this.faults.add(`the elected ${elected} before the others`);
    const pushes = act.includes('indexer-security-init.sh') && !act.includes('-backup');
    if (pushes && new Set(indexers.map(({ version }) => version)).size > 1)
      this.faults.add('a push in a mixed cluster');
  }
}
