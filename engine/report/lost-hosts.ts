import { defined } from '../lib/defined.js';
import { escapePattern } from '../lib/escape-pattern.js';
import { groupBy } from '../lib/group-by.js';
import type { TextOnHosts } from './text-on-hosts.js';

/** Why a host was lost, as its event has it. */
export interface LostHost {
  readonly host: string;
  readonly address?: string;
  readonly reason: string;
  readonly hint?: string;
  /** The run did without it. */
  readonly leftOut?: true;
}

export interface LostHosts extends Pick<TextOnHosts, 'text' | 'hint' | 'hosts'> {
  readonly leftOut: boolean;
}

/** What a tally has of them. */
export const lostIn = (lost: ReadonlyMap<string, Omit<LostHost, 'host'>>): readonly LostHost[] =>
  [...lost].map(([host, { address, reason, hint, leftOut }]) => defined({ host, address, reason, hint, leftOut }));

/** Hosts that were lost, once for each reason: reasons that differ only in the host's own name or address are one. The hint is the first host's. */
export function lostTogether(all: readonly LostHost[]): readonly LostHosts[] {
  const groups = groupBy(all, (one) => JSON.stringify([anyHost(one), one.leftOut]));
  return groups.map((group) => {
    const [first] = group;
    return {
      text: group.length === 1 ? first.reason : anyHost(first),
      ...(first.hint === undefined ? {} : { hint: first.hint }),
      leftOut: first.leftOut === true,
      hosts: group.map(({ host }) => host),
    };
  });
}

/** A reason without the host's own name and address: `10.0.0.11:22 cannot be reached` is `port 22 cannot be reached`. */
function anyHost({ host, address = host, reason }: Pick<LostHost, 'host' | 'address' | 'reason'>): string {
  const [name, at] = [escapePattern(host), escapePattern(address)];
  return reason
    .replaceAll(whole(String.raw`(?:\[${at}\]|${at}):(?=\d)`), 'port ')
    .replaceAll(whole(`(?:${at}|${name})(?![\\w-])`), 'the host');
}

/** Not within a longer name. */
const whole = (pattern: string): RegExp => new RegExp(`(?<![\\w.-])${pattern}`, 'gu');
