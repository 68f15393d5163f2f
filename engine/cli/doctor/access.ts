import { system } from '../../facts/host.js';
import type { DoctorGroup, DoctorItem } from '../../report/checks/doctor-report.js';
import { defined } from '../../lib/defined.js';
import { quote } from '../../lib/quote.js';
import { lostTogether, type LostHost } from '../../report/lost-hosts.js';
import { need, refKey } from '../../terms/fact.js';
import type { Host, Inventory } from '../../terms/inventory.js';
import type { Reader, Secrets } from '../../terms/machine.js';
import { zoneSecrets } from './zone-secrets.js';

/** Part of a report: what was checked before any playbook. */
export interface Part {
  readonly problems: readonly DoctorItem[];
  readonly warnings: readonly DoctorItem[];
  readonly groups: readonly DoctorGroup[];
}

/**
 * Does each secret have a value? Nothing is asked for that only the operator knows: it is typed when it is needed. One that only
 * workers need may be missing: whether theirs is right is seen where they sign in.
 */
export async function secretProblems(
  inventory: Inventory,
  secrets: Secrets,
): Promise<Part & { readonly missing: readonly string[] }> {
  const { secrets: sources } = inventory;
  const ofZones = zoneSecrets(inventory);
  const names = Object.keys(sources).filter((name) => !('prompt' in (sources[name] ?? {})));
  const found = await Promise.all(names.map(async (name) => ({ name, value: await secrets.value(name) })));
  const values = found.filter(({ name, value }) => value.is === 'value' || !ofZones.has(name));
  const problems = values.flatMap(({ value }): readonly DoctorItem[] =>
    value.is === 'failed'
      ? [
          {
            check: 'Secrets have values',
            hosts: [],
            text: value.reason,
            evidence: [],
            ...(value.hint === undefined ? {} : { fix: value.hint }),
          },
        ]
      : [],
  );
  const passed = values.flatMap(({ name, value }) => (value.is === 'value' ? [name] : []));
  const missing = values.flatMap(({ name, value }) => (value.is === 'failed' ? [name] : []));
  return {
    missing,
    problems,
    warnings: [],
    groups: passed.length === 0 ? [] : [{ name: 'Secrets', passed, hosts: [] }],
  };
}

/** The same connection by hand: its message says more, and a firewall can be asked for it. */
function tryBy(host: Host | undefined): string | undefined {
  if (host === undefined) return undefined;
  const { user, port, jump } = host.ssh;
  return quote([
    'ssh',
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(jump === undefined ? [] : ['-J', jump.join(',')]),
    user === undefined ? host.address : `${user}@${host.address}`,
  ]);
}

/** Connects to each host, logs in, becomes the user to work as, and starts a shell there: all that a first question takes. */
export async function accessOf(
  hosts: readonly Host[],
  reader: Reader,
): Promise<Part & { readonly reached: readonly string[]; readonly unreachable: readonly string[] }> {
  const names = hosts.map(({ name }) => name);
  const byName = new Map(hosts.map((host) => [host.name, host]));
  const needs = names.map((host) => need({ host }, system, undefined));
  const answers = await reader.ask(needs);
  const lost: LostHost[] = [];
  const reached: string[] = [];
  const unreachable: string[] = [];
  for (const [i, host] of names.entries()) {
    const one = needs[i];
    const answer = one === undefined ? undefined : answers.get(refKey(one));
    if (answer === undefined || answer.is === 'value') {
      reached.push(host);
      continue;
    }
    const isAway = answer.why === 'unreachable';
    if (isAway) unreachable.push(host);
    const { reason, hint = isAway ? tryBy(byName.get(host)) : undefined } = answer;
    lost.push(defined({ host, address: byName.get(host)?.address, reason, hint }));
  }
  const passed = ['SSH', 'host key', 'login', 'sudo', 'shell'];
  return {
    reached,
    unreachable,
    problems: lostTogether(lost).map(({ hosts: its, text, hint }) => ({
      check: 'SSH, host key, login, sudo, shell',
      hosts: its,
      text,
      evidence: [],
      ...(hint === undefined ? {} : { fix: hint }),
    })),
    warnings: [],
    groups: reached.length === 0 ? [] : [{ name: 'Access', passed, hosts: reached }],
  };
}
