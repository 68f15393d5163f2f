import { quote, quoteOne } from '../lib/quote.js';
import { answer, decode, failure, unreadable } from './answer.js';
import type { HostFact } from './kind.js';

/** Free and total space of the file system that holds a path (or its nearest existing parent). */
export interface DiskState {
  readonly freeBytes: number;
  readonly totalBytes: number;
}
export const disk: HostFact<string, DiskState> = {
  name: 'disk',
  key: (path) => path,
  sh: (path) => `p=${quoteOne(path)}
while [ ! -e "$p" ]; do p=\${p%/*}; if [ -z "$p" ]; then p=/; fi; case $p in */*) ;; *) p=.;; esac; done
df -B1 --output=avail,size -- "$p" 2>&1`,
  parse: ({ exit, stdout }) => {
    const [, free, total] = /(\d+)\s+(\d+)\s*$/.exec(stdout) ?? [];
    if (exit !== 0 || free === undefined) return failure(stdout);
    return answer<DiskState>({ freeBytes: Number(free), totalBytes: Number(total) });
  },
};

/** Is a process listening on this local TCP port? */
export interface PortState {
  readonly open: boolean;
}
export const port: HostFact<number, PortState> = {
  name: 'port',
  key: (n) => String(n),
  // The kernel's own table: state 0A is LISTEN, and the remote port of a listener is 0.
  sh: (n) => `[ -r /proc/net/tcp ] || exit 2
cat /proc/net/tcp /proc/net/tcp6 | grep -qi ':${Number(n).toString(16).padStart(4, '0')} [0-9A-F]*:0000 0A '`,
  parse: ({ exit }) =>
    exit === 0 || exit === 1 ? answer<PortState>({ open: exit === 0 }) : unreadable('/proc/net/tcp cannot be read'),
};

/** The host itself. Key: empty. */
export interface SystemState {
  readonly hostname: string;
  readonly bootId: string;
  readonly os: string;
  readonly osVersion: string;
  readonly dialect: 'sh' | 'powershell';
  readonly timeMs: number;
}
export const system: HostFact<void, SystemState> = {
  name: 'system',
  key: () => '',
  sh: () => `uname -n
cat /proc/sys/kernel/random/boot_id || echo
( . /etc/os-release; printf '%s\\n%s\\n' "$ID" "$VERSION_ID" )
date +%s%3N`,
  parse: ({ stdout }) => {
    const [hostname = '', bootId = '', os = '', osVersion = '', now = ''] = stdout.split('\n');
    if (!/^\d+$/.test(now)) return unreadable('the host did not tell its system and time');
    return answer<SystemState>({ hostname, bootId, os, osVersion, dialect: 'sh', timeMs: Number(now) });
  },
};

/** The output of a command that only reads: its author declares that it changes nothing, so it runs in a plan too. */
export interface ProbeQuestion {
  readonly argv: readonly [string, ...string[]];
  readonly timeoutMs?: number;
  /** Also return the end of its standard error, which is shown when it fails. */
  readonly errors?: true;
}
export interface ProbeAnswer {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr?: string;
}
/** The default timeout of a probe: long enough for a tool in Java, short enough for a plan. */
const probeLimitMs = 60_000;
const questionOf = (key: string): ProbeQuestion => JSON.parse(key) as ProbeQuestion;

export const probe: HostFact<ProbeQuestion, ProbeAnswer> = {
  name: 'probe',
  key: ({ argv, timeoutMs, errors }) => JSON.stringify({ argv, timeoutMs, errors }),
  sh: (key) => {
    const { argv, timeoutMs = probeLimitMs, errors } = questionOf(key);
    const command = `timeout -k 2 ${timeoutMs / 1000} ${quote(argv)}`;
    return timed(errors === true ? withErrors(command) : `${command}\nended=$?`, timeoutMs);
  },
  parse: ({ exit, stdout }, key) => {
    const { argv, timeoutMs = probeLimitMs, errors } = questionOf(key);
    // What `timeout` itself says of a command that it ended; a probe of one's own has no business with 124.
    if (exit === 124) return unreadable(`${argv[0]} did not end within ${timeoutMs / 1000} s`);
    if (exit === 137) return unreadable(`${argv[0]} was ended by a signal (KILL) before its time limit`);
    const end = errors === true ? stdout.lastIndexOf('\0') : stdout.length;
    const said = { exit, stdout: decode(stdout.slice(0, end)).text };
    return answer<ProbeAnswer>(errors === true ? { ...said, stderr: decode(stdout.slice(end + 1)).text } : said);
  },
};

/**
 * `timeout` says 137 of a command that it had to kill, and of one that another process killed: only the time tells them apart. It is read without
 * a process.
 */
const timed = (run: string, limitMs: number): string => `read -r began _ </proc/uptime
${run}
read -r now _ </proc/uptime
[ "$ended" -ne 137 ] || [ $((\${now%.*} - \${began%.*})) -lt ${Math.floor(limitMs / 1000)} ] || ended=124
exit "$ended"`;

/** Both outputs, apart: the end of the errors comes last, behind a character that no text holds. */
const withErrors = (command: string): string => `exec 3>&1
errors=$(${command} 2>&1 1>&3 3>&-)
ended=$?
exec 3>&-
printf '\\000%s' "$(printf %s "$errors" | tail -c 2000)"`;

/** The members of a tar archive on the host, for judging before extraction; null when there is no such file. */
export type ArchiveListing =
  | readonly {
      readonly path: string;
      readonly type: 'file' | 'directory' | 'link' | 'other';
      readonly target?: string;
    }[]
  | null;
export const archiveListing: HostFact<string, ArchiveListing> = {
  name: 'archive',
  key: (path) => path,
  // Names are printed as C strings, so that ` -> ` or a newline inside a name is not taken for a separator.
  sh: (path) => `p=${quoteOne(path)}
if [ ! -e "$p" ]; then exit 3; fi
tar --list --verbose --numeric-owner --quoting-style=c --file "$p" --force-local 2>&1`,
  parse: ({ exit, stdout }, path) => {
    if (exit === 3) return answer<ArchiveListing>(null);
    if (exit !== 0)
      return unreadable(`${path} is no archive that tar reads: ${stdout.trim().split('\n').at(-1) ?? ''}`);
    const members = stdout.split('\n').flatMap((line) => {
      const m = member.exec(line);
      if (m === null) return [];
      const target = m[3] === undefined ? {} : { target: unescape(m[3]) };
      return [{ path: unescape(m[2] ?? ''), type: memberTypes[m[1] ?? ''] ?? ('other' as const), ...target }];
    });
    return answer<ArchiveListing>(members);
  },
};

const member = /^(\S)\S+ \S+ +\S+ \S+ \S+ "((?:[^"\\]|\\.)*)"(?: (?:->|link to) "((?:[^"\\]|\\.)*)")?$/;
/** A hard link is a link too: it makes a name for another member. */
const memberTypes: Readonly<Record<string, 'file' | 'directory' | 'link'>> = {
  '-': 'file',
  d: 'directory',
  l: 'link',
  h: 'link',
};
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };
/** A C string literal's text; octal escapes are bytes, which are UTF-8 where they can be. */
const unescape = (text: string): string =>
  decode(
    text.replace(/\\([0-7]{1,3}|.)/gs, (_, e: string) =>
      /^[0-7]/.test(e) ? String.fromCharCode(parseInt(e, 8)) : (escapes[e] ?? e),
    ),
  ).text;
