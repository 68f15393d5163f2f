import { count } from '../../lib/count.js';
import { groupBy } from '../../lib/group-by.js';
import { columns, wrap } from '../columns.js';
import type { Needs, PortNeed } from './needs.js';
import { printableLine } from '../style.js';

const WIDTH = 110;

/** The page of `runbook doctor --needs`, to be attached to a request. */
export function needsView({ ports, sudo, permissions }: Needs, title: string, hosts: number): string {
  return [
    `Needed for ${printableLine(title)} on ${count(hosts, 'host')}. Nothing was contacted.`,
    '',
    'PORTS (TCP)',
    ...portLines(ports),
    ...(sudo.length === 0 ? [] : ['', 'SUDO (a line of /etc/sudoers.d; without NOPASSWD give ssh.become_password)']),
    ...sudo.flatMap((one) => [
      `  ${one.user} ALL=(${one.becomeUser}) NOPASSWD: /bin/sh`,
      ...wrapped(one.hosts, '      on '),
    ]),
    ...(permissions.length === 0 ? [] : ['', 'PERMISSIONS']),
    ...columns(permissions.map(({ endpoint, user, permission, for: why }) => [`  ${endpoint}`, user, permission, why])),
  ]
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Whoever opens a firewall needs every name: none is left out. */
const wrapped = (names: readonly string[], first: string): readonly string[] =>
  wrap(
    names.map((name, i) => printableLine(i === names.length - 1 ? name : `${name},`)),
    WIDTH,
    first,
  );

/** Connections to one target share a line, and then those of the same sources to one port. */
function portLines(ports: readonly PortNeed[]): readonly string[] {
  const targets = groupBy(ports, ({ to, port, for: why }) => JSON.stringify([to, port, why]));
  const rows = targets.map((all) => ({ ...all[0], from: all.map(({ from }) => from) }));
  const alike = groupBy(rows, ({ from, port, for: why }) => JSON.stringify([from, port, why]));
  return alike.flatMap((all) => [
    `  ${String(all[0].port).padEnd(6)} ${all[0].for}`,
    ...wrapped(all[0].from, '      from  '),
    ...wrapped(
      all.map(({ to }) => to),
      '      to    ',
    ),
  ]);
}
