import type { Journal } from '../journal/journal.js';
import type { Project } from '../language/project.js';
import type { Was } from '../terms/event.js';
import type { Host } from '../terms/inventory.js';
import type { Actor, Clock, Reader } from '../terms/machine.js';
import type { AnyModule } from '../terms/module.js';
import type { Play, Step } from '../terms/playbook.js';
import { Facts } from './facts/facts.js';
import { TemporaryIndex } from './restore/temporary-index.js';
import { PlannedActs } from './task/planned-act.js';
import type { WindowGuard } from './window-guard.js';

/** What the operator chose on the command line. */
export interface RunOptions {
  /** Hosts side by side. */
  readonly forks: number;
  readonly limit?: ReadonlySet<string>;
  /** Hosts that are dead: nothing is asked of them and nothing restored there. */
  readonly without?: ReadonlySet<string>;
  /** By task key: what the operator says became of acts whose outcome is not known. */
  readonly told?: ReadonlyMap<string, Was>;
  readonly tags?: ReadonlySet<string>;
  readonly skipTags?: ReadonlySet<string>;
  /**
   * The run only diagnoses: a host that denies access is left out like one that is unreachable, where the run can do without it, and the
   * versions it reports are those installed now.
   */
  readonly diagnosing?: true;
  /** A change is recorded with the values by which its conditions hold (`plan --why`). */
  readonly explains?: true;
}

/** The doors of a run. Without an actor it is a plan: it cannot act. */
export interface Ports {
  readonly reader: Reader;
  readonly actor?: Actor;
  readonly clock: Clock;
  readonly journal: Journal;
  /** Asks the operator; undefined when there is no terminal. */
  readonly askOperator?: (question: string) => Promise<string | undefined>;
  /** True once the operator asked to stop: the current task is finished, no other begins. */
  readonly stopping?: () => boolean;
  /** The maintenance window; absent: there is none, or it does not bind this run. */
  readonly window?: WindowGuard;
  /** Asks the operator before a step (`--step`); a no skips it. Absent: every step is done. */
  readonly mayBegin?: (step: Step) => Promise<boolean>;
  /** Asks whether to go on where the operator wanted a pause; false: the run stops there. Absent: it never pauses. */
  readonly goOn?: (
    at: { readonly before: Play; readonly step?: Step } | { readonly after: readonly string[] },
  ) => Promise<boolean>;
  /** Takes the leases on the hosts, or says why not: then nothing may be done there. Absent: there are none. */
  readonly takeLeases?: () => Promise<string | undefined>;
  /** Removes them, with the markers beside them, before the run is recorded as over: after that record a killed controller would leave them, and no resume comes. Gives the hosts where the marker stays. */
  readonly endLeases?: () => Promise<readonly string[]>;
  /** Keeps the trace of a defect where people find it, and says where. Absent: a defect ends the run. */
  readonly keepTrace?: (error: unknown, at: string) => string;
  /** The first Ctrl-C: ends a wait for what no step of this run is doing. */
  readonly stopSignal?: AbortSignal;
  /** The second Ctrl-C. */
  readonly signal?: AbortSignal;
}

/** One run of one project: what every file of this room is handed. */
export interface Run extends Ports {
  readonly project: Project;
  readonly modules: ReadonlyMap<string, AnyModule>;
  readonly options: RunOptions;
  readonly facts: Facts;
  readonly hosts: ReadonlyMap<string, Host>;
  /** The steps that register a name, in order. */
  readonly registers: ReadonlyMap<string, readonly Step[]>;
  /** Temporary changes that are not restored yet, by the facts that decide it. */
  readonly temporaryIndex: TemporaryIndex;
  /** Hosts being worked on by a serial play. */
  readonly inHand: Set<string>;
  /** What the operator said of acts before the run began, each until it is used: what is unknown again later is another act. */
  readonly told: Map<string, Was>;
  /** Paths of requirements that were reported to hold. */
  readonly requirementsMet: Set<string>;
  /** Where errors of this program itself were met. */
  readonly defects: Set<string>;
  /** Moves on by one for each task of a plan, so that "later" can be predicted. */
  readonly planTime: { ms: number };
  /** What the steps of a plan would do, in order. */
  readonly plannedActs: PlannedActs;
  /** Titles of the steps of a plan that cannot be read, and without which the run does not go on. */
  readonly unread: Set<string>;
  /** It continues a run that was begun before: its plan is that of the rest. */
  readonly isRest: boolean;
}

/** The operator gave this host up (`--without`): nothing is asked of it, and nothing waits for it. */
export const isGivenUp = ({ options }: Pick<Run, 'options'>, host: string): boolean =>
  options.without?.has(host) === true;

export function createRun(
  project: Project,
  modules: ReadonlyMap<string, AnyModule>,
  ports: Ports,
  options: RunOptions,
): Run {
  const registers = new Map<string, Step[]>();
  for (const step of project.playbook.plays.flatMap((play) => play.steps)) {
    if (step.register !== undefined) registers.set(step.register, [...(registers.get(step.register) ?? []), step]);
  }
  return {
    ...ports,
    project,
    modules,
    options,
    registers,
    facts: new Facts(ports.reader),
    hosts: new Map(project.inventory.hosts.map((host) => [host.name, host])),
    temporaryIndex: new TemporaryIndex(),
    inHand: new Set(),
    told: new Map(options.told),
    requirementsMet: new Set(),
    defects: new Set(),
    planTime: { ms: ports.clock.nowMs() },
    plannedActs: new PlannedActs(),
    unread: new Set(),
    isRest: ports.journal.state.run !== undefined,
  };
}
