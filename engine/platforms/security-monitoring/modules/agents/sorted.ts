import type { AgentRecord } from '../../facts/agents.js';
import { compareByPrefix } from '../../../../lib/version.js';

/** The agents of an upgrade: those that are there, those to be asked, and those that are left as they are. */
export interface Sorted {
  readonly right: readonly AgentRecord[];
  readonly due: readonly AgentRecord[];
  /** Not upgraded by this step, with the reason. */
  readonly left: readonly (AgentRecord & { readonly reason: string })[];
}

/** Sorts agents by what their version and status say. */
export function sortAgents(known: readonly AgentRecord[], version: string, excludeBelow: string | undefined): Sorted {
  const right: AgentRecord[] = [];
  const due: AgentRecord[] = [];
  const left: (AgentRecord & { reason: string })[] = [];
  for (const agent of known) {
    const { version: has } = agent;
    if (has === null) left.push({ ...agent, reason: 'it never connected' });
    else if ((compareByPrefix(has, version) ?? -1) >= 0) right.push(agent);
    else if (excludeBelow !== undefined && (compareByPrefix(has, excludeBelow) ?? 0) < 0)
      left.push({ ...agent, reason: `older than ${excludeBelow}` });
    else if (agent.status !== 'active') left.push({ ...agent, reason: `not active: ${agent.status}` });
    else due.push(agent);
  }
  return { right, due, left };
}

export const count = (list: readonly unknown[]): string => (list.length === 1 ? '1 agent' : `${list.length} agents`);

/** The most names in a list that the operator reads. */
export const SHOWN = 20;

/** Who they are and what they say, the first twenty of them. */
export const names = (list: readonly AgentRecord[]): string =>
  list
    .slice(0, SHOWN)
    .map((a) => `${a.id} ${a.name} (${a.version ?? 'never connected'})`)
    .join(', ') + (list.length > SHOWN ? ` and ${list.length - SHOWN} more` : '');
