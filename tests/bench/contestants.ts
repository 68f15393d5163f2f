import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchHosts } from './hosts.js';
import { hostName, writeInventory } from './inventory.js';
import { cost, type Cost, type Program } from './measure.js';
import { runbook, workFile } from './work.js';

/** An operator who does the ten steps on all hosts. */
export interface Contestant {
  readonly name: string;
  readonly program: Program;
  /** Whether that run found nothing to change: only such runs are compared. */
  readonly foundAllRight: (run: Cost) => boolean;
}

/** This program, the OpenSSH loop, and the tools that are installed; `missing` names those that are not. */
export function contestantsFor(hosts: BenchHosts): {
  readonly present: readonly Contestant[];
  readonly missing: readonly string[];
} {
  const others = [
    { name: 'pyinfra', program: 'pyinfra', make: pyinfra },
    { name: 'Ansible', program: 'ansible-playbook', make: ansible },
  ];
  const [there, absent] = [others.filter((o) => isInstalled(o.program)), others.filter((o) => !isInstalled(o.program))];
  return {
    present: [engine(hosts), loop(hosts), ...there.map((o) => o.make(hosts))],
    missing: absent.map((o) => o.name),
  };
}

/** One run of a contestant; a run that changed something, or could not, is printed with its output. */
export async function runOnce({ name, program, foundAllRight }: Contestant): Promise<Cost> {
  const run = await cost(program);
  if (!foundAllRight(run))
    throw new Error(`${name} changed something:\n${run.stdout.slice(-2000)}\n${run.stderr.slice(-2000)}`);
  return run;
}

/** `apply` as people call it: journal on disk, every decision from facts, every change looked at again. */
function engine(hosts: BenchHosts): Contestant {
  const inventory = writeInventory(hosts, 'inventory');
  return {
    name: 'runbook',
    program: { argv: runbook('apply', '-y', '-i', inventory, workFile('ten-steps.yaml')) },
    foundAllRight: ({ stdout }) => /\b0 changed/.test(stdout),
  };
}

/** One `ssh HOST sh < script` a host, all at once. */
function loop({ addresses, port, user, keyFile, knownHosts, place }: BenchHosts): Contestant {
  const options = ['IdentitiesOnly=yes', 'BatchMode=yes', 'LogLevel=ERROR', `UserKnownHostsFile=${knownHosts}`].map(
    (o) => `-o ${o}`,
  );
  const ssh = `ssh -F none -i ${keyFile} -p ${port} -l ${user} ${options.join(' ')}`;
  const one = (address: string): string =>
    `${ssh} ${address} sh -s ${place} ${hostName(address)} <${workFile('ten-steps.sh')} & all="$all $!"`;
  const script = [...addresses.map(one), 'for p in $all; do wait $p || exit 1; done'].join('\n');
  return {
    name: 'OpenSSH loop',
    program: { argv: ['sh', '-c', script] },
    foundAllRight: ({ stdout }) => !/^(made|changed|mode) /m.test(stdout),
  };
}

/** Cold connections, pipelining on, no facts gathered: as fast as it goes without Mitogen. */
function ansible({ addresses, port, user, keyFile, knownHosts, place, folder }: BenchHosts): Contestant {
  const inventory = join(folder, 'ansible.ini');
  const common = `ansible_user=${user} ansible_port=${port} ansible_ssh_private_key_file=${keyFile} ansible_python_interpreter=/usr/bin/python3 place=${place}`;
  writeFileSync(inventory, addresses.map((a) => `${hostName(a)} ansible_host=${a} ${common}\n`).join(''));
  const env = {
    ANSIBLE_PIPELINING: 'True',
    ANSIBLE_FORKS: String(addresses.length),
    ANSIBLE_HOME: join(folder, 'ansible'),
    ANSIBLE_SSH_ARGS: `-F none -o UserKnownHostsFile=${knownHosts} -o ControlMaster=auto -o ControlPersist=5`,
  };
  return {
    name: 'Ansible',
    program: { argv: ['ansible-playbook', '-i', inventory, workFile('ansible.yaml')], env },
    foundAllRight: ({ stdout }) => stdout.split('changed=0').length === addresses.length + 1,
  };
}

/** All hosts at once. The command that only reads counts as done on each, whatever it found. */
function pyinfra({ addresses, port, user, keyFile, knownHosts, place, folder }: BenchHosts): Contestant {
  const [inventory, count] = [join(folder, 'pyinfra_inventory.py'), addresses.length];
  const data = { ssh_port: port, ssh_user: user, ssh_key: keyFile, ssh_known_hosts_file: knownHosts, place };
  const hosts = addresses.map((a) => [a, { ...data, folder: hostName(a) }]);
  writeFileSync(inventory, `hosts = [tuple(h) for h in ${JSON.stringify(hosts)}]\n`);
  return {
    name: 'pyinfra',
    program: {
      argv: ['pyinfra', '-y', '--parallel', String(count), inventory, workFile('pyinfra_deploy.py')],
    },
    // Its grand total: all operations, successes, errors, and those that changed nothing, which all but the command are.
    foundAllRight: ({ stderr }) => new RegExp(`\\b${9 * count}\\s+${count}\\s+-\\s+${8 * count}\\b`).test(stderr),
  };
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
