import { existsSync } from 'node:fs';
import { attempt, run } from './shell.js';
import { bridge, gateway, netnsPrefix, type LabHost } from './topology.js';

/** Makes the bridge, and a namespace with its addresses for each group of hosts. The controller reaches all through the bridge. */
export async function raiseNetwork(hosts: readonly LabHost[]): Promise<void> {
  await addBridge(bridge, gateway);
  const groups = [...new Set(hosts.map((host) => host.netns))];
  for (const [index, netns] of groups.entries()) {
    const addresses = hosts.filter((host) => host.netns === netns).map((host) => host.address);
    await plug(bridge, netns, `rblab-v${index}`, addresses);
  }
}

/** Removes what `raiseNetwork` made, whatever is left of it. */
export async function dropNetwork(): Promise<void> {
  for (const netns of await namespaces()) await attempt('ip', ['netns', 'delete', netns]);
  if (existsSync(`/sys/class/net/${bridge}`)) await attempt('ip', ['link', 'delete', bridge]);
}

/** The lab's network namespaces that exist now. */
export async function namespaces(): Promise<string[]> {
  const { stdout } = await attempt('ip', ['netns', 'list']);
  const names = stdout.split('\n').map((line) => line.split(' ')[0] ?? '');
  return names.filter((name) => name.startsWith(netnsPrefix));
}

/** Makes a bridge with this address of the controller, in a /24. */
export async function addBridge(bridge: string, address: string): Promise<void> {
  await run('ip', ['link', 'add', bridge, 'type', 'bridge', 'forward_delay', '0']);
  await run('ip', ['address', 'add', `${address}/24`, 'dev', bridge]);
  await run('ip', ['link', 'set', bridge, 'up']);
}

/** The management API's port. It lies in the range that the kernel takes the ports of outgoing connections from. */
const apiPort = 55000;

/** Makes a network namespace with these addresses, connected to the bridge by the interface `outer`. */
export async function plug(bridge: string, netns: string, outer: string, addresses: readonly string[]): Promise<void> {
  await run('ip', ['netns', 'add', netns]);
  await run('ip', ['link', 'add', outer, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', netns]);
  await run('ip', ['link', 'set', outer, 'master', bridge, 'up']);
  const inside = (...args: string[]): Promise<string> => run('ip', ['-netns', netns, ...args]);
  await inside('link', 'set', 'lo', 'up');
  for (const address of addresses) await inside('address', 'add', `${address}/24`, 'dev', 'eth0');
  await inside('link', 'set', 'eth0', 'up');
  // Without this a connection to the indexer may hold the port, for a minute after its end: the API cannot listen then.
  const reserve = `echo ${apiPort} >/proc/sys/net/ipv4/ip_local_reserved_ports`;
  await run('ip', ['netns', 'exec', netns, 'sh', '-c', reserve]);
}

/** Plugs a namespace of its own into the lab's bridge. It has a route to these addresses alone: there is none to the subnet, and no default route. */
export async function plugWithRoutes(netns: string, address: string, reached: readonly string[]): Promise<void> {
  const outer = `${netnsPrefix}w${address.split('.').at(-1) ?? ''}`;
  await run('ip', ['netns', 'add', netns]);
  await run('ip', ['link', 'add', outer, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', netns]);
  await run('ip', ['link', 'set', outer, 'master', bridge, 'up']);
  const inside = (...args: string[]): Promise<string> => run('ip', ['-netns', netns, ...args]);
  await inside('link', 'set', 'lo', 'up');
  await inside('address', 'add', `${address}/32`, 'dev', 'eth0');
  await inside('link', 'set', 'eth0', 'up');
  for (const each of reached) await inside('route', 'add', `${each}/32`, 'dev', 'eth0');
}
