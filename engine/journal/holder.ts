import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime, userInfo } from 'node:os';
import { isObject, type Json } from '../terms/json.js';

/** A process that holds a lock or a lease, told apart from any other process of any machine. */
export interface Holder {
  /** New for each lock that is taken. */
  readonly token: string;
  readonly verb: string;
  readonly inventory: string;
  readonly user: string;
  readonly machine: string;
  readonly machineId: string;
  /** Of the machine's start: the same in all its containers. */
  readonly boot: string;
  /** Where the process id counts: a container has its own. */
  readonly pidSpace: string;
  readonly pid: number;
  /** When the process started, for process ids are used again. */
  readonly start: string;
  readonly sinceMs: number;
  /** What is wrong with the file of its lock; absent where it is as it was written. */
  readonly file?: LockFile;
}

/** `damaged`: it does not say any more which process holds the lock. `unsummed`: an earlier version wrote it, and damage would not be noticed. */
export interface LockFile {
  readonly is: 'damaged' | 'unsummed';
  readonly path: string;
}

/** `elsewhere`: on another machine or in another container, so it is not known from here. */
export type HolderState = 'alive' | 'ended' | 'elsewhere';

/** This process, as the holder of a new lock. */
export const thisHolder = (verb: string, inventory: string, nowMs: number): Holder => ({
  token: randomUUID(),
  verb,
  inventory,
  user: userInfo().username,
  machine: hostname(),
  machineId: machineId(),
  boot: bootId(),
  pidSpace: pidSpace(),
  pid: process.pid,
  start: startOf(process.pid) ?? '',
  sinceMs: nowMs,
});

/** Whether two holders are one process, whichever locks they are of. */
export const isSameProcess = (a: Holder, b: Holder): boolean =>
  a.machineId === b.machineId && a.boot === b.boot && a.pid === b.pid && a.start === b.start;

export function stateOf(holder: Holder): HolderState {
  if (holder.boot === bootId() && holder.pidSpace === pidSpace()) return isAlive(holder) ? 'alive' : 'ended';
  // A copied machine has the same id and may have the same name, but did not write this before our own start.
  const isOurs = holder.machineId !== '' && holder.machineId === machineId() && holder.machine === hostname();
  const isBeforeOurStart = holder.sinceMs < Date.now() - uptime() * 1000;
  return isOurs && holder.boot !== bootId() && isBeforeOurStart ? 'ended' : 'elsewhere';
}

function isAlive({ pid, start }: Holder): boolean {
  const now = startOf(pid);
  if (now !== undefined) return now === start;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Another user's process may be hidden from /proc, and is there all the same.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return false;
}

/** When a process started, in the words of its system; undefined when there is none, or only what its parent has not yet noticed. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before it may hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return hasProc() ? undefined : output('ps', ['-o', 'lstart=', '-p', String(pid)]);
  }
}

const hasProc = (): boolean => read('/proc/self/stat') !== '';
const bootId = (): string =>
  read('/proc/sys/kernel/random/boot_id') || (output('sysctl', ['-n', 'kern.bootsessionuuid']) ?? hostname());
const machineId = (): string => read('/etc/machine-id');

function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1').trim();
  } catch {
    return '';
  }
}

function output(program: string, args: readonly string[]): string | undefined {
  try {
    // The same words whatever the language and time zone of who asks.
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    return (
      execFileSync(program, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] }).trim() || undefined
    );
  } catch {
    return undefined;
  }
}

const TEXTS = ['token', 'verb', 'inventory', 'user', 'machine', 'machineId', 'boot', 'pidSpace', 'start'] as const;

/** A holder from its JSON; of a text that is none, one that is not known here. */
export function parseHolder(text: string, token: string): Holder {
  let json: Json | undefined;
  try {
    json = JSON.parse(text) as Json;
  } catch {
    json = undefined;
  }
  const said = isObject(json) ? json : {};
  const texts = Object.fromEntries(
    TEXTS.map((name) => [name, typeof said[name] === 'string' ? said[name] : 'unknown']),
  ) as Pick<Holder, (typeof TEXTS)[number]>;
  const number = (name: string): number => (typeof said[name] === 'number' ? said[name] : 0);
  return {
    ...texts,
    token: texts.token === 'unknown' ? token : texts.token,
    pid: number('pid'),
    sinceMs: number('sinceMs'),
  };
}
