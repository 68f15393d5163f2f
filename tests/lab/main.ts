import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { down } from './down.js';
import { powerOff, powerOn } from './power.js';
import { say, timed } from './shell.js';
import { configFile } from './ssh.js';
import { meetLab } from './state.js';
import { status } from './status.js';
import { hostNamed, isShape, type Role } from './topology.js';
import { up, type UpOptions } from './up.js';

const usage = `Usage: npm run lab -- VERB
  up [--from 4.12.0] [--only ROLE,…] [--shape cluster]
                        boots the hosts and installs the platform in that release; shape all-in-one has all on one host
  down                  ends and removes all of it
  status                hosts, cluster, versions
  off HOST              cuts its power: every process of it is killed, its disk stays
  boot HOST             boots a host that is off, from its disk
  ssh HOST [COMMAND…]   signs in as ops, or runs a command
`;

const roles: readonly Role[] = ['indexer', 'server', 'master', 'worker', 'dashboard', 'agent'];

async function main([verb = 'help', ...rest]: readonly string[]): Promise<number> {
  switch (verb) {
    case 'up':
      await timed('up', () => up(upOptions(rest)));
      return 0;
    case 'down':
      await timed('down', down);
      return 0;
    case 'status':
      return status();
    case 'off':
    case 'boot':
      await meetLab();
      await timed(`${verb} ${rest[0] ?? ''}`, () => (verb === 'off' ? powerOff : powerOn)(hostNamed(rest[0] ?? '')));
      return 0;
    case 'ssh':
      return signIn(rest);
    default:
      console.error(usage);
      return 2;
  }
}

function upOptions(args: readonly string[]): UpOptions {
  const options = {
    from: { type: 'string', default: '4.12.0' },
    only: { type: 'string', default: '' },
    shape: { type: 'string', default: 'cluster' },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  const only = values.only.split(',').filter((name) => name !== '');
  const unknown = only.find((name) => !roles.some((role) => role === name));
  if (unknown !== undefined) throw new Error(`no role ${unknown}; there are ${roles.join(' ')}`);
  if (!isShape(values.shape)) throw new Error(`no shape ${values.shape}; there are cluster and all-in-one`);
  return { from: values.from, only: roles.filter((role) => only.includes(role)), shape: values.shape };
}

async function signIn([name, ...command]: readonly string[]): Promise<number> {
  await meetLab();
  const host = hostNamed(name ?? '');
  return spawnSync('ssh', ['-F', configFile(), host.name, ...command], { stdio: 'inherit' }).status ?? 1;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  },
);
