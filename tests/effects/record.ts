import type { Project } from '../../engine/language/project.js';
import { sha256 } from '../../engine/lib/hash.js';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import type { Recorded, Verb } from '../../engine/terms/event.js';
import { platformOf, type Scenario } from '../interrupted/scenarios.js';
import { endState } from '../playbooks/end-state.js';
import { runOn, type Around } from '../playbooks/platform-bench.js';
import { observing, PASSING, type Effects } from './observe.js';

/** What one run did. Two recordings are compared by situation, stop and way. */
export interface Recording {
  readonly situation: string;
  /** The platform as it was at the stop, by its digest: titles of steps may change. Empty: not stopped. */
  readonly stop: string;
  /** The last step before the stop, for people. */
  readonly after: string;
  readonly way: Way;
  readonly end: string;
  readonly effects: Effects;
  readonly left: string;
}

/** `closed`: the run is closed where it stopped. `rolled back`: closed there, or ended, and rolled back. `by itself`: each playbook, in order. */
export type Way = 'whole' | 'resumed' | 'applied again' | 'closed' | 'rolled back' | 'by itself';

/** The projects of one situation, by playbook. */
export type Projects = Readonly<Record<'upgrade-4.14.yaml' | 'rollback.yaml' | (typeof PARTS)[number], Project>>;
export const PARTS = [
  'prepare.yaml',
  'indexer.yaml',
  'server.yaml',
  'dashboard.yaml',
  'agents.yaml',
  'verify.yaml',
] as const;

interface Stop {
  readonly digest: string;
  readonly after: string;
  readonly state: PlatformState;
  readonly past: readonly Recorded[];
}

const ANSWER = 'yes';

/** Of the platform, whatever it is about to become: a unit that starts counts as one that runs. */
const digestOf = (state: PlatformState): string =>
  sha256(
    JSON.stringify(endState(state, PASSING))
      .replaceAll('activating', 'active')
      .replace(/ \d+ of /g, ' of '),
  ).slice(0, 16);

/** One of `every`, by the digest: before and after a change of the engine the same stops are chosen, whatever lies between them. */
const isChosen = ({ digest }: Stop, every: number): boolean => Number.parseInt(digest.slice(0, 8), 16) % every === 0;

/** The whole upgrade, then the upgrade stopped after one of `every` steps that changed something and gone on with in each way. */
export async function* recordingsOf(projects: Projects, situation: Scenario, every: number): AsyncGenerator<Recording> {
  const { state } = platformOf(projects['upgrade-4.14.yaml'], situation);
  const of = (playbook: keyof Projects): Project => platformOf(projects[playbook], situation).project;
  const [upgrade, back] = [of('upgrade-4.14.yaml'), rollbackOf(of('rollback.yaml'), state)];
  const about = { situation: situation.name, stop: '', after: '' };
  const alone = structuredClone(state);
  for (const playbook of PARTS)
    yield { ...about, after: playbook, way: 'by itself', ...(await observed(of(playbook), alone, { name: playbook })) };
  const stops: Stop[] = [];
  yield { ...about, way: 'whole', ...(await observed(upgrade, state, { name: 'first', on: stopsAt(state, stops) })) };
  yield { ...about, way: 'rolled back', ...(await observed(back, structuredClone(state), { name: 'back' })) };
  for (const { digest: stop, after, state: at, past } of stops.filter((one) => isChosen(one, every))) {
    const there = { ...about, stop, after };
    yield { ...there, way: 'resumed', ...(await observed(upgrade, structuredClone(at), { past }, 'resume')) };
    yield { ...there, way: 'applied again', ...(await observed(upgrade, structuredClone(at), { name: 'second' })) };
    yield { ...there, way: 'closed', ...(await observed(upgrade, at, { past }, 'close')) };
    yield { ...there, way: 'rolled back', ...(await observed(back, at, { name: 'back' })) };
  }
}

/** Back to what the hosts have now, as `runbook rollback` fills it in. */
function rollbackOf(project: Project, { hosts }: PlatformState): Project {
  const versionOf = (name: string): string =>
    Object.values(hosts).find((host) => host.packages[name] !== undefined)?.packages[name]?.version ?? '';
  const packages = {
    ...{ indexer: versionOf('platform-indexer'), manager: versionOf('platform-manager') },
    ...{ dashboard: versionOf('platform-dashboard'), shipper: versionOf('filebeat') },
  };
  const vars = { rollback_to: packages.indexer.replace(/-.*$/, ''), rollback_packages: packages };
  return { ...project, extraVars: { ...project.extraVars, ...vars } };
}

async function observed(project: Project, state: PlatformState, around: Around, verb: Verb = 'apply') {
  const { effects, actor } = observing(state);
  // One host after the other: which of two hosts is first must not make a stop another one.
  const { end } = await runOn(project, state, verb, { answer: ANSWER, actor, options: { forks: 1 }, ...around });
  return { end, effects, left: digestOf(state) };
}

/** Keeps the platform and the journal after each step that left the platform otherwise than it was. */
function stopsAt(state: PlatformState, stops: Stop[]): (recorded: Recorded) => void {
  const past: Recorded[] = [];
  let last = digestOf(state);
  return (recorded) => {
    past.push(recorded);
    const { event } = recorded;
    if (event.e !== 'settled' || event.as !== 'done') return;
    const digest = digestOf(state);
    if (digest === last) return;
    last = digest;
    const on = 'host' in event.task.on ? ` on ${event.task.on.host}` : '';
    stops.push({ digest, after: `${event.name}${on}`, state: structuredClone(state), past: [...past] });
  };
}
