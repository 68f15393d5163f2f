import type { AgentRecord, AgentsAnswer } from '../../facts/agents.js';
import { packageState } from '../../../../facts/package.js';
import { compareByPrefix } from '../../../../lib/version.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { items, need } from '../../../../terms/fact.js';
import { defineModule, type More } from '../../../../terms/module.js';
import { itemsOf } from './answer.js';
import { listing, versionOf, waitingForList } from './args.js';
import { chosenOf, unknownOf } from './choice.js';
import { isAt } from './followed.js';
import { decideListed } from './listed.js';
import { count, names, SHOWN } from './sorted.js';
import { toolSaid } from './tool.js';
import { decideUpgraded } from './upgraded.js';
import { timeLimitMs } from '../../../../modules/shared/time-limit.js';
import type { Args } from './schema.js';

const POLL_MS = 5_000;
/** Who only reads the list need not wait as long as who has agents upgraded. */
const READING_MS = 120_000;

export const agents = defineModule<Args>()({
  name: 'agents',
  // The API lists an agent with the version that its package has now.
  warningsDependOn: [packageState.name],
  needs: (_args, at) => ({ known: need(at.task.on, items, '') }),
  touches: (args) => (args.state === 'upgraded' ? [listing(args)] : []),
  decide(args, { known }, at, more) {
    // A package's revision is no part of what an agent says of itself.
    const version = args.version?.replace(/-.*$/, '');
    if (version === undefined && args.state !== 'listed' && args.state !== 'active')
      return blocked(`agents: state ${args.state} needs a version`);
    return args.state === 'upgraded' && version !== undefined
      ? decideUpgraded({ ...args, version }, known, at.timeMs, more)
      : decideRead(args, version, more);
  },
  judge: ({ way }, outcome, action) => (way === 'tool' ? toolSaid(outcome, action) : itemsOf(outcome)),
});

/** What only reads the list. */
function decideRead(args: Args, version: string | undefined, more: More | undefined): Verdict {
  if (more === undefined) return { is: 'more', needs: { now: listing(args) } };
  const now = more['now'] as unknown as AgentsAnswer;
  if (now.is === 'failed' && now.later === true) return { ...waitingForList(now.reason), ...paceOf(args) };
  if (now.is === 'failed') return blocked(now.reason, now.hint);
  const unknown = unknownOf(args, now.agents);
  if (unknown !== undefined) return blocked(unknown, 'correct the choice');
  const chosen = chosenOf(args, now.agents);
  if (args.state === 'active') return decideActive(args, chosen);
  if (args.state === 'listed' || version === undefined) return decideListed(chosen, now, version);
  if (args.state === 'behind') return decideBehind(args.hosts ?? [], now.agents, version);
  return args.state === 'older' ? decideOlder(chosen, version) : decideNotNewer(args, chosen, version);
}

/** Those that connected once, whatever their status: one that is away now comes back as old as it was. */
function decideOlder(known: readonly AgentRecord[], version: string): Verdict {
  const older = known.filter((a) => a.version !== null && (compareByPrefix(a.version, version) ?? 0) < 0);
  return ok(`${older.length} of ${count(known)} older than ${version}`, {
    total: known.length,
    count: older.length,
    list: names(older),
  });
}

/** Hosts whose agent is called as they are. One that was enrolled again is listed several times: any of them counts. */
function decideBehind(hosts: readonly string[], known: readonly AgentRecord[], version: string): Verdict {
  const behind = hosts.flatMap((name) => {
    const its = known.filter((a) => a.name === name);
    if (its.some((a) => isAt(a, version))) return [];
    const [agent] = its;
    if (agent === undefined) return [`${name} (not registered)`];
    return [`${name} (${agent.version === null ? 'never connected' : `${agent.version}, ${agent.status}`})`];
  });
  const more = behind.length > SHOWN ? ` and ${behind.length - SHOWN} more` : '';
  return ok(`${behind.length} of ${hosts.length} hosts below ${version}`, {
    total: hosts.length,
    count: behind.length,
    list: behind.slice(0, SHOWN).join(', ') + more,
  });
}

/** The most agents whose state is shown (§9.8.1). */
const FIRST = 5;

/** A platform on which no agent is active monitors nothing, however well everything else runs. After a restart of a manager they return over minutes. */
function decideActive(args: Args, known: readonly AgentRecord[]): Verdict {
  const active = known.filter(({ status }) => status === 'active');
  const first = active.slice(0, FIRST).map((a) => `${a.id} ${a.name} ${versionOf(a)} ${a.status}`);
  const away = known.filter((a) => a.status !== 'active' && a.version !== null);
  const value = { total: known.length, active: active.length, first: active.slice(0, FIRST).map((a) => ({ ...a })) };
  if (active.length > 0)
    return ok(
      `${active.length} of ${count(known)} active: ${first.join(', ')}${active.length > FIRST ? ', …' : ''}`,
      value,
    );
  if (away.length === 0) return ok('no agent ever connected', value);
  const reason = `none of ${count(known)} is active: ${names(away)}`;
  const { hint = NONE_ACTIVE } = args;
  if (args.severity === 'warning') return ok(reason, value, [`${reason}: ${hint}`]);
  return { is: 'waiting', for: `an agent to be active: ${reason}`, ...paceOf(args), failure: { reason, hint } };
}

const NONE_ACTIVE =
  'do agents reach the managers (port 1514), and is a newer one refused? See the log of a manager and of an agent';

function decideNotNewer(args: Args, known: readonly AgentRecord[], version: string): Verdict {
  const newer = known.filter((a) => a.version !== null && (compareByPrefix(a.version, version) ?? 0) > 0);
  if (newer.length === 0)
    return ok(`none of ${count(known)} is newer than ${version}`, { count: known.length, newer: 0 });
  const reason = `${count(newer)} newer than ${version}: ${names(newer)}`;
  const { hint = NOT_NEWER } = args;
  if (args.severity === 'warning')
    return ok(reason, { count: known.length, newer: newer.length }, [`${reason}: ${hint}`]);
  // They were downgraded just now, and say so when they connect again.
  if (newer.every(({ name }) => args.awaited?.includes(name) === true))
    return {
      is: 'waiting',
      for: `${names(newer)} to report at most ${version}`,
      ...paceOf(args),
      failure: { reason, hint },
    };
  return blocked(reason, hint);
}

const NOT_NEWER =
  'an agent must not be newer than the manager (§9.1): choose a higher target, or bring those agents to at most that version first, by their package';

const paceOf = ({ timeout }: Args): { limitMs?: number; otherwiseMs: number; everyMs: number } => ({
  everyMs: POLL_MS,
  otherwiseMs: READING_MS,
  ...(timeout === undefined ? {} : { limitMs: timeLimitMs(timeout, READING_MS) }),
});
