import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorHeap, operatorJvmLine } from '../../lab/indexer-config.js';
import { rootOf } from '../../lab/disk.js';
import { tryOnHost } from '../../lab/ssh.js';
import { hostsOf, type LabHost } from '../../lab/topology.js';

export const JVM_OPTIONS = '/etc/platform-indexer/jvm.options';
export const MANAGER_CONFIG = '/var/platform/etc/platform.conf';
const REPOSITORY_FILES = {
  deb: '/etc/apt/sources.list.d/platform.list',
  rpm: '/etc/yum.repos.d/platform.repo',
} as const;
const REPOSITORY_OFF = {
  deb: /^#deb [^\n]*\n$/,
  rpm: /^\[platform\]\n(?:(?!enabled)\w+=.*\n)*enabled=0\n(?:(?!enabled)\w+=.*\n)*$/,
} as const;

/** Where a host's repository is switched on and off. */
export const repositoryFile = (host: LabHost): string => REPOSITORY_FILES[host.family];

/** Whether it is switched off as the specification has it (§9.8.2). */
export const isRepositoryOff = (host: LabHost): boolean =>
  REPOSITORY_OFF[host.family].test(readOn(host, repositoryFile(host)).toString('utf8'));

/** Where a package manager leaves the new defaults of a configuration file that was changed. */
export const newDefaults = (host: LabHost, path: string): string =>
  `${path}${host.family === 'deb' ? '.dpkg-dist' : '.rpmnew'}`;

/** What each host has to have when the upgrade is done: `dpkg-query`'s state, of an RPM `ii` too, and version. */
export const wanted: Readonly<Record<string, string>> = {
  'platform-indexer': 'ii 4.14.7-1',
  'platform-manager': 'ii 4.14.7-1',
  'platform-dashboard': 'ii 4.14.7-1',
  'platform-agent': 'ii 4.14.7-1',
  filebeat: 'ii 7.10.2-2',
};

/** A file of a host as the controller sees it on the host's disk: no ssh in between, so it can be read in the middle of a run. */
export const readOn = (host: LabHost, path: string): Buffer => readFileSync(join(rootOf(host), path));

/** Owner, group and mode of a file of a host, as numbers: `0 997 100660`. */
export function ownershipOn(host: LabHost, path: string): string {
  const { uid, gid, mode } = lstatSync(join(rootOf(host), path));
  return `${uid} ${gid} ${mode.toString(8)}`;
}

/** The platform's packages on a host: name to `ii 4.14.7-1`. */
export async function packagesOn(host: LabHost): Promise<Record<string, string>> {
  const names = Object.keys(wanted).join(' ');
  const question =
    host.family === 'deb'
      ? `dpkg-query -W -f '\${Package} \${db:Status-Abbrev} \${Version}\\n' ${names} 2>/dev/null`
      : `rpm -q --qf '%{NAME} ii %{VERSION}-%{RELEASE}\\n' ${names} | grep -v 'is not installed'`;
  const { stdout } = await tryOnHost(host, question);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/));
  return Object.fromEntries(
    rows.flatMap(([name = '', state = '', version = '']) => (version === '' ? [] : [[name, `${state} ${version}`]])),
  );
}

/** The units of the platform on a host with the start that each is of: `active 4f3a…`. An invocation is one start. */
export async function startsOn(host: LabHost): Promise<Record<string, string>> {
  const units = Object.keys(await packagesOn(host)).join(' ');
  const script = `for unit in ${units}; do
  echo "$unit $(systemctl is-active $unit) $(systemctl show --value -p InvocationID $unit) $(systemctl show --value -p ActiveEnterTimestampMonotonic $unit)"
done`;
  const { stdout } = await tryOnHost(host, script);
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [name = '', ...rest] = line.split(' ');
        return name === '' ? [] : [[name, rest.join(' ')]];
      }),
  );
}

/** The same of all hosts, by host. */
export async function everywhere<T>(ask: (host: LabHost) => Promise<T>): Promise<Record<string, T>> {
  return Object.fromEntries(await Promise.all(hostsOf().map(async (host) => [host.name, await ask(host)] as const)));
}

const NEWLINE = 10;

/** What came in between: `after` is `before` with one piece inserted. Undefined when more than that differs. */
export function insertedInto(before: Buffer, after: Buffer): string | undefined {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  const size = after.length - before.length;
  if (size < 0 || !before.subarray(start).equals(after.subarray(start + size))) return undefined;
  // `<a><b>` into `<a>` can be told in several ways: as whole lines where that is one of them.
  let at = start;
  while (at > 0 && after[at - 1] !== NEWLINE && after[at - 1] === after[at + size - 1]) at -= 1;
  if (at === 0 || after[at - 1] === NEWLINE) start = at;
  return after.subarray(start, start + size).toString('utf8');
}

/** The jvm.options that a host should end with: the new package's own, with the operator's heap and line. */
export const operatorOptions: readonly string[] = [`-Xms${operatorHeap}`, `-Xmx${operatorHeap}`, operatorJvmLine];

/** What the package's own script keeps in jvm.options, below its marker. */
export const analyzerOptions: readonly string[] = readFileSync(
  join(import.meta.dirname, '../../lab/packages/platform-indexer/analyzer.options'),
  'utf8',
)
  .split('\n')
  .filter((line) => line.startsWith('-'));

/** Lines of an options file that say something. */
export const optionLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
