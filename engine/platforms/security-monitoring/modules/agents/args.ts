import { agents as agentsFact, upgrades } from '../../facts/agents.js';
import type { AgentRecord } from '../../facts/agents.js';
import { need } from '../../../../terms/fact.js';
import type { Args } from './schema.js';

/** Lists, or texts that are lists with commas. What is absent or empty chooses all. */
export type Choose = NonNullable<Args['choose']>;
export type Listed = string | readonly string[];

/** What an upgrade needs besides. */
export interface UpgradeArgs extends Args {
  readonly version: string;
}

const PAGE = 2_000;

/** Every agent there is, with groups where the choice is by them: not every release lists them. */
export const listing = ({ endpoint, page_size = PAGE, choose }: Args) =>
  need({ endpoint }, agentsFact, {
    pageSize: page_size,
    ...(elements(choose?.groups).length === 0 ? {} : { groups: true as const }),
  });

/** How far the upgrades of some agents are. */
export const progressOf = ({ endpoint }: Args, ids: readonly string[]) => need({ endpoint }, upgrades, { ids });

/** The manager's tasks for them alone: what a later reading is compared with. */
export const tasksOf = ({ endpoint }: Args, ids: readonly string[]) =>
  need({ endpoint }, upgrades, { ids, tasksOnly: true });

/** The list could not be had now. */
export const waitingForList = (reason: string) => {
  const because = `the agent list: ${reason}`;
  return { is: 'waiting', for: because, unknown: { because, dependsOn: [] } } as const;
};

/** An empty text is what a playbook's variable is that was not set. */
export const isGiven = (text: string | undefined): text is string => text !== undefined && text !== '';

export const elements = (list: Listed | undefined): readonly string[] =>
  (typeof list === 'string' ? list.split(',') : (list ?? [])).map((text) => text.trim()).filter((text) => text !== '');

/** `20%` of all, or a number; at least one. */
export function portion(of: number | string, all: number): number {
  const written = String(of);
  const count = written.endsWith('%') ? Math.ceil((Number(written.slice(0, -1)) / 100) * all) : Number(written);
  return Math.max(1, count);
}

/** `Wazuh v4.12.0` is 4.12.0; nothing when it never connected. */
export const versionOf = (a: AgentRecord): string => /\d[\d.]*/.exec(a.version ?? '')?.[0] ?? '';
