import type { Json, JsonObject } from '../terms/json.js';

/** A mistake of an inventory: where it is written, what it is, and what to do. */
export interface Mistake {
  /** `FILE:LINE`, or the file. */
  readonly at: string;
  readonly message: string;
  readonly hint?: string;
}

/** A group as the files of an inventory describe it, all of them together. */
export interface Group {
  readonly hosts: Set<string>;
  readonly children: Set<string>;
  vars: JsonObject;
}

/** What the files of an inventory say, before anything is made of it. Each value that is encrypted is `VAULTED`. */
export interface Written {
  readonly groups: Map<string, Group>;
  /** The variables of each host beside its name, in the order in which hosts were first named. */
  readonly hosts: Map<string, JsonObject>;
  readonly mistakes: Mistake[];
}

/** In place of a value that Ansible Vault encrypted. */
export const VAULTED: JsonObject = { __ansible_vault: '' };

export const isVaulted = (value: Json | undefined): boolean =>
  typeof value === 'object' && value !== null && '__ansible_vault' in value;

export const nothingWritten = (): Written => ({ groups: new Map(), hosts: new Map(), mistakes: [] });

export function groupOf({ groups }: Written, name: string): Group {
  const group = groups.get(name) ?? { hosts: new Set<string>(), children: new Set<string>(), vars: {} };
  groups.set(name, group);
  return group;
}

/** A host that several groups name has the variables of all of them. */
export function addHost(written: Written, name: string, vars: JsonObject): void {
  written.hosts.set(name, { ...written.hosts.get(name), ...vars });
}
