import { hostDir } from '../../lab/disk.js';
import { ask } from '../../lab/indexer-client.js';
import { run } from '../../lab/shell.js';
import { onHost } from '../../lab/ssh.js';
import { hostsOf, type LabHost } from '../../lab/topology.js';

/** What stands where: a text for each file, package, unit, setting and index, by `host kind name`. */
export type Snapshot = ReadonlyMap<string, string>;

/** Not compared (§8.3 of the issue): the kernel's and what runs, logs, and the data that a living platform writes itself. */
const LEFT_OUT = [
  ...['/proc', '/sys', '/dev', '/run', '/tmp', '/var/log', '/var/lib/systemd', '/mnt/snapshots'],
  ...['/var/lib/platform-indexer', '/var/lib/platform-dashboard', '/var/lib/filebeat'],
  ...['/var/platform/logs', '/var/platform/queue', '/var/platform/var'],
  // What readers of rpm's database share while they read, the snapshot's own `rpm -qa` among them; the database itself is compared.
  '/var/lib/rpm/rpmdb.sqlite-shm',
];

const SEPARATOR = '=== runbook-snapshot';

/** Every file with type, mode, owner, link target and hash, run in the upper layer of a host's disk: whatever is written to a host is written there. */
const files = `export LC_ALL=C
prune='${LEFT_OUT.map((path) => `-path .${path}`).join(' -o ')}'
echo '${SEPARATOR} about'
find . \\( $prune \\) -prune -o -printf '%y %m %U:%G %l\\t/%P\\n'
echo '${SEPARATOR} content'
find . \\( $prune \\) -prune -o -type f -print0 | xargs -0 -r -n 400 sha256sum | sed 's/^\\([^ ]*\\)  \\./\\1\\t/'
`;

/** Packages; units; lists of package sources. Writes nothing. */
const question = `export LC_ALL=C
echo '${SEPARATOR} package'
if command -v dpkg-query >/dev/null; then dpkg-query -W -f '\${Version} \${db:Status-Abbrev}\\t\${Package}\\n'
else rpm -qa --qf '%{VERSION}-%{RELEASE} %{INSTALLTIME}\\t%{NAME}\\n'; fi
echo '${SEPARATOR} unit file'
systemctl list-unit-files --no-legend --no-pager --plain | awk '{ print $2 "\\t" $1 }'
echo '${SEPARATOR} unit'
systemctl list-units --all --no-legend --no-pager --plain --type=service,socket,timer,path,mount | awk '{ print $2 " " $3 " " $4 "\\t" $1 }'
echo '${SEPARATOR} start'
for unit in platform-indexer platform-manager platform-dashboard platform-agent filebeat ssh; do
  printf '%s\\t%s\\n' "$(systemctl show --value -p InvocationID $unit)" $unit
done
echo '${SEPARATOR} source'
grep -rn '' /etc/apt/sources.list /etc/apt/sources.list.d /etc/yum.repos.d 2>/dev/null | sed 's/^\\([^:]*:[0-9]*\\):\\(.*\\)/\\2\\t\\1/'
echo '${SEPARATOR} list of packages'
find /var/lib/apt/lists /var/cache/dnf -type f -printf '%s %T@\\t%p\\n'
`;

/** Everything that a plan must leave as it is: of all hosts and of the cluster. */
export async function takeSnapshot(): Promise<Snapshot> {
  const parts = await Promise.all([...hostsOf().map(ofHost), ofCluster()]);
  return new Map(parts.flat());
}

/** What differs, a line each: `host kind name: before → after`. */
export function differences(before: Snapshot, after: Snapshot): string[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].flatMap((key) => {
    const [was, is] = [before.get(key) ?? 'absent', after.get(key) ?? 'absent'];
    return was === is ? [] : [`${key}: ${was} → ${is}`];
  });
}

/** How many entries of each kind there are: a snapshot of nothing must not pass for one without differences. */
export function kindsOf(snapshot: Snapshot): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of snapshot.keys()) {
    const kind = key.split('|')[1] ?? '';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

async function ofHost(host: LabHost): Promise<[string, string][]> {
  let kind = '';
  const written = await run('sh', ['-ec', files], { cwd: hostDir(host, 'upper') });
  const answered = await onHost(host, question);
  return `${written}${answered}`.split('\n').flatMap((line): [string, string][] => {
    if (line.startsWith(SEPARATOR)) {
      kind = line.slice(SEPARATOR.length + 1);
      return [];
    }
    const [value, name] = splitOnce(line);
    return name === undefined || isOurs(kind, name) ? [] : [[`${host.name}|${kind}|${name}`, value.trim()]];
  });
}

/**
 * Signing in starts a session and a user's manager by itself: that is the question's own doing, and the plan's. A quarter of an hour after
 * its boot a host tidies its temporary files up by itself.
 */
const isOurs = (kind: string, name: string): boolean =>
  kind.startsWith('unit') &&
  /^(user@\d+|user-runtime-dir@\d+|run-user-\d+|session-|systemd-tmpfiles-clean\.|run-credentials-)/.test(name);

async function ofCluster(): Promise<[string, string][]> {
  const settings = (await ask('GET', '/_cluster/settings?flat_settings=true')) as Record<
    string,
    Record<string, unknown>
  >;
  const indices = (await ask('GET', '/_cat/indices?format=json&expand_wildcards=all&h=index,uuid,pri,rep')) as {
    index: string;
  }[];
  const set = Object.entries(settings).flatMap(([kind, values]) =>
    Object.entries(values).map(([name, value]): [string, string] => [`cluster|setting|${kind} ${name}`, String(value)]),
  );
  const listed = indices.map((each): [string, string] => [`cluster|index|${each.index}`, JSON.stringify(each)]);
  return [...set, ...listed];
}

function splitOnce(line: string): [string, string | undefined] {
  const at = line.indexOf('\t');
  return at === -1 ? [line, undefined] : [line.slice(0, at), line.slice(at + 1)];
}
