import { ask, elected, type Health } from './indexer-client.js';
import { inventoryFile } from './inventory.js';
import { tryOnHost } from './ssh.js';
import { isAlive, meetLab } from './state.js';
import { hostsOf, type LabHost } from './topology.js';

/** Prints what is up, by asking; answers 0 when a lab is up with all its hosts alive, else 1. */
export async function status(): Promise<number> {
  const state = await meetLab();
  if (state === undefined) {
    console.log('no lab is up');
    return 1;
  }
  const own = hostsOf().filter((host) => state.hosts[host.name] !== undefined);
  const lines = await Promise.all(own.map(describe));
  console.log(`from ${state.from}, since ${state.startedAt}\n${lines.join('\n')}`);
  if (own.some((host) => host.roles.includes('indexer'))) console.log(await cluster());
  console.log(`inventory ${inventoryFile()}`);
  const alive = own.every((host) => {
    const owned = state.hosts[host.name];
    return owned !== undefined && isAlive(owned);
  });
  return alive ? 0 : 1;
}

/** Each package of the platform on the host, with its version, what its manager says of it and whether its service runs. */
const question = `
for name in platform-indexer platform-manager filebeat platform-dashboard platform-agent; do
  if command -v dpkg-query >/dev/null; then
    line=$(dpkg-query -W -f '\${Package} \${Version} \${db:Status-Abbrev}' $name 2>/dev/null) || continue
  else line=$(rpm -q --qf '%{NAME} %{VERSION}-%{RELEASE} rpm' $name) || continue; fi
  case $line in *' un '*) continue ;; esac
  echo "$line $(systemctl is-active $name)"
done`;

async function describe(host: LabHost): Promise<string> {
  const { exit, stdout, stderr } = await tryOnHost(host, question, 20_000);
  const found = exit === 0 ? stdout.trim().split('\n').join(' · ') : `unreachable: ${stderr.trim()}`;
  return `  ${host.name.padEnd(12)} ${host.address.padEnd(14)} ${found}`;
}

async function cluster(): Promise<string> {
  try {
    const health = (await ask('GET', '/_cluster/health')) as Health;
    return `cluster ${health.status}, ${health.number_of_nodes} nodes, elected ${await elected()}`;
  } catch (error) {
    return `cluster: no answer (${error instanceof Error ? error.message : String(error)})`;
  }
}
