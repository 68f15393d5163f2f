/** The management API's whole memory: plain JSON, never altered in place. Times are milliseconds since the epoch. */
export interface ManagementState {
  /** Of the manager, bare: `4.12.0`. */
  readonly version: string;
  /** What stands before a version in answers: `v`, or `Product v` as some releases have it. */
  readonly versionPrefix: string;
  readonly user: string;
  /** Null accepts any: a model of an inventory whose secrets are not resolved. */
  readonly password: string | null;
  /** Includes `000`, the manager itself. Ids ascend. */
  readonly agents: readonly AgentRecord[];
  /** How many rules of the operator are loaded. */
  readonly ownRules: number;
  /** The same of decoders. */
  readonly ownDecoders: number;
  /** Until then every call but the sign-in answers 1017. */
  readonly readyAtMs: number;
  /** Permissions taken from the user: `agent:read`, `agent:upgrade`, `manager:read` (error 4000). */
  readonly denied: readonly string[];
  readonly tokens: readonly Token[];
  readonly failedLoginsAtMs: readonly number[];
  readonly blockedUntilMs: number;
  readonly minute: { readonly sinceMs: number; readonly requests: number };
  /** Numbers handed out so far: tokens and upgrade tasks. */
  readonly issued: { readonly tokens: number; readonly tasks: number };
  /** How long a remote upgrade runs; null when its end is reported by `reportAgent`. */
  readonly upgradeTakesMs: number | null;
  /** How long a token is good. */
  readonly tokenLifeMs: number;
  /** The vendor's repository of agent packages is out of reach (air gap): only another repository, or a file on the manager, helps. */
  readonly isolated?: boolean;
  /** Files on the manager that a request may name. */
  readonly agentFiles?: readonly string[];
}

export interface Token {
  readonly text: string;
  readonly expiresAtMs: number;
}

export type AgentStatus = 'active' | 'disconnected' | 'pending' | 'never_connected';

/** `In queue` until `startsAtMs`, `Updating` until `endsAtMs`, then `outcome`. */
export interface UpgradeTask {
  readonly taskId: number;
  readonly to: string;
  readonly createdAtMs: number;
  readonly startsAtMs: number;
  readonly endsAtMs: number | null;
  readonly status: 'In queue' | 'Updating' | 'Updated' | 'Error' | 'Timeout' | 'Cancelled' | 'Legacy' | 'Suspended';
  /** Why it failed. */
  readonly error?: string;
}

export interface AgentRecord {
  readonly id: string;
  readonly name: string;
  readonly ip: string;
  /** Bare; null when it never connected. */
  readonly version: string | null;
  readonly status: AgentStatus;
  readonly upgrade: UpgradeTask | null;
  readonly fate: Fate;
  /** `default` when absent. */
  readonly groups?: readonly string[];
}

/**
 * How a remote upgrade of an agent ends: a timeout may be reported although it was upgraded; `cancelled` is what a restart of the manager makes
 * of a task in its queue, `legacy` an agent that cannot report its result, `suspended` a state that no release has. The others are refused with a code:
 * `no-package` 1819, `gone` 1701, `inactive` 1707, `filtered` 1731, `too-old` 1821, `ahead` 1822; `busy` is 1820: another client's
 * upgrade of it is in progress, and ends with an error some time after ours was refused.
 */
export type Fate =
  | 'updated'
  | 'error'
  | 'cancelled'
  | 'legacy'
  | 'suspended'
  | 'timeout'
  | 'timeout-but-updated'
  | 'no-package'
  | 'gone'
  | 'inactive'
  | 'filtered'
  | 'too-old'
  | 'ahead'
  | 'busy';

export interface AgentSeed {
  /** Three digits; given in order when absent. */
  readonly id?: string;
  readonly name: string;
  readonly ip?: string;
  readonly version?: string | null;
  readonly status?: AgentStatus;
  readonly fate?: Fate;
  /** `default` when absent. */
  readonly groups?: readonly string[];
}

export interface ManagementSeed {
  readonly version: string;
  readonly user: string;
  readonly password: string | null;
  readonly agents: readonly AgentSeed[];
  readonly readyAtMs: number;
  readonly managerName?: string;
  readonly versionPrefix?: string;
  readonly denied?: readonly string[];
  /** Default 20 s; null: an upgrade ends when `reportAgent` says so. */
  readonly upgradeTakesMs?: number | null;
  /** Default 900 s, as the real one's. */
  readonly tokenLifeMs?: number;
}

/** A manager with its agents, agent `000` (itself) added. */
export function createManagement(seed: ManagementSeed): ManagementState {
  const manager = { id: '000', name: seed.managerName ?? 'manager', ip: '127.0.0.1', version: seed.version };
  const agents = seed.agents.map((a, i) => seedAgent(a, String(i + 1).padStart(3, '0')));
  return {
    version: bare(seed.version),
    versionPrefix: seed.versionPrefix ?? 'v',
    user: seed.user,
    ownRules: 14,
    ownDecoders: 6,
    password: seed.password,
    agents: [seedAgent(manager, '000'), ...agents].sort((a, b) => Number(a.id) - Number(b.id)),
    readyAtMs: seed.readyAtMs,
    denied: seed.denied ?? [],
    tokens: [],
    failedLoginsAtMs: [],
    blockedUntilMs: 0,
    minute: { sinceMs: 0, requests: 0 },
    issued: { tokens: 0, tasks: 0 },
    upgradeTakesMs: seed.upgradeTakesMs === undefined ? 20_000 : seed.upgradeTakesMs,
    tokenLifeMs: seed.tokenLifeMs ?? 900_000,
  };
}

/** An agent's keep-alive: its version and status as it says them. Ends an upgrade that it fulfils. Unknown ids change nothing. */
export function reportAgent(
  state: ManagementState,
  id: string,
  said: { readonly version?: string; readonly status?: AgentStatus },
  atMs: number,
): ManagementState {
  return mapAgents(state, (a) => {
    if (a.id !== id) return a;
    const version = said.version === undefined ? a.version : bare(said.version);
    const status = said.status ?? a.status;
    const ends = a.upgrade !== null && underWay(a.upgrade) && a.upgrade.to === version;
    return { ...a, version, status, upgrade: ends ? { ...a.upgrade, status: 'Updated', endsAtMs: atMs } : a.upgrade };
  });
}

/** Any change of the security configuration: no token issued before is good any more. */
export const revokeTokens = (state: ManagementState): ManagementState => ({ ...state, tokens: [] });

/** What time alone has done by `atMs`: remote upgrades move on and end. */
export function settleManagement(state: ManagementState, atMs: number): ManagementState {
  if (!state.agents.some((a) => a.upgrade !== null && underWay(a.upgrade))) return state;
  return mapAgents(state, (a) => (a.upgrade !== null && underWay(a.upgrade) ? settleUpgrade(a, a.upgrade, atMs) : a));
}

function settleUpgrade(agent: AgentRecord, task: UpgradeTask, atMs: number): AgentRecord {
  if (atMs < task.startsAtMs) return agent;
  if (task.endsAtMs === null || atMs < task.endsAtMs) return { ...agent, upgrade: { ...task, status: 'Updating' } };
  if (agent.fate === 'busy') return { ...agent, fate: 'updated', upgrade: { ...task, status: 'Error' } };
  const upgraded = UPGRADES.has(agent.fate);
  const end = ENDS[agent.fate] ?? { status: agent.fate.startsWith('timeout') ? 'Timeout' : 'Updated' };
  return { ...agent, version: upgraded ? task.to : agent.version, upgrade: { ...task, ...end } };
}

const UPGRADES: ReadonlySet<Fate> = new Set<Fate>(['updated', 'timeout-but-updated', 'legacy']);

const ENDS: Readonly<Partial<Record<Fate, Pick<UpgradeTask, 'status' | 'error'>>>> = {
  error: { status: 'Error', error: 'Send open file error' },
  cancelled: { status: 'Cancelled' },
  legacy: { status: 'Legacy' },
  suspended: { status: 'Suspended' },
};

export const underWay = (task: UpgradeTask): boolean => task.status === 'In queue' || task.status === 'Updating';

/** `Product v4.12.0`, `v4.12.0`, `4.12.0-1` → `4.12.0`. */
export const bare = (version: string): string => /\d+(?:\.\d+)*/.exec(version)?.[0] ?? version;

const SOMEBODY_ELSES: UpgradeTask = {
  taskId: 0,
  to: '',
  createdAtMs: 0,
  startsAtMs: 0,
  endsAtMs: null,
  status: 'Updating',
};

const seedAgent = (seed: AgentSeed, id: string): AgentRecord => {
  const version = seed.version === undefined || seed.version === null ? null : bare(seed.version);
  return {
    id: seed.id ?? id,
    name: seed.name,
    ip: seed.ip ?? 'any',
    version,
    status: seed.status ?? (version === null ? 'never_connected' : 'active'),
    upgrade: seed.fate === 'busy' ? SOMEBODY_ELSES : null,
    fate: seed.fate ?? 'updated',
    ...(seed.groups === undefined ? {} : { groups: seed.groups }),
  };
};

const mapAgents = (state: ManagementState, f: (a: AgentRecord) => AgentRecord): ManagementState => ({
  ...state,
  agents: state.agents.map(f),
});
