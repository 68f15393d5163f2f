/** Signed-in agents as the management API has them, all pages counted (subject: the endpoint). Key: a filter. */
export interface AgentsQuestion {
  readonly status?: string;
  readonly pageSize: number;
  /** Their groups too, which not every release tells. */
  readonly groups?: true;
}
export interface AgentRecord {
  readonly id: string;
  readonly name: string;
  /** `v4.12.0` as answered; null when it never connected. */
  readonly version: string | null;
  readonly status: string;
  /** Where they were asked for. */
  readonly groups?: readonly string[];
}
export type AgentsAnswer =
  | { readonly is: 'answered'; readonly agents: readonly AgentRecord[]; readonly pages: number }
  /** `later`: not ready, overloaded or out of reach now, so worth asking again. */
  | { readonly is: 'failed'; readonly reason: string; readonly hint?: string; readonly later?: true };
export const agents = {
  name: 'agents',
  key: (q: AgentsQuestion) =>
    JSON.stringify({
      ...(q.status === undefined ? {} : { status: q.status }),
      pageSize: q.pageSize,
      ...(q.groups === undefined ? {} : { groups: q.groups }),
    }),
  __v: undefined as unknown as AgentsAnswer,
};

/** How far the upgrades of these agents are (subject: the endpoint). */
export interface UpgradesQuestion {
  readonly ids: readonly string[];
  /** Only the manager's tasks, not what the agents say of themselves. */
  readonly tasksOnly?: true;
}
/** A longer list of ids makes a URL that servers refuse: they stop at some 16 KB of request line and headers. */
export const IDS_A_REQUEST = 1_000;
/** The newest upgrade task that the manager has of an agent; `status` in its own words. */
export interface UpgradeTask {
  readonly id: number;
  readonly status: string;
  /** Why it failed, where the API says so. */
  readonly error?: string;
}
export type UpgradesAnswer =
  | {
      readonly is: 'answered';
      /** This release tells its tasks (an extension that §4.1 does not list). */
      readonly hasTasks: boolean;
      /** By agent; who has none is absent. */
      readonly tasks: Readonly<Record<string, UpgradeTask>>;
      readonly agents: readonly AgentRecord[];
    }
  | Extract<AgentsAnswer, { is: 'failed' }>;
export const upgrades = {
  name: 'upgrades',
  key: (q: UpgradesQuestion) =>
    JSON.stringify({ ids: q.ids, ...(q.tasksOnly === undefined ? {} : { tasksOnly: q.tasksOnly }) }),
  __v: undefined as unknown as UpgradesAnswer,
};
