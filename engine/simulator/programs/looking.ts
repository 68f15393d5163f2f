import { certificatesIn } from '../../lib/certificates.js';
import { position } from '../faults.js';
import { below, entryAt, textAt } from '../files.js';
import type { FileEntry } from '../state.js';
import { done, fails } from './call.js';
import type { Call, Ended, Program } from '../rules.js';
import { smallPrograms } from './small.js';

/** Programs that only look: at lines, modes and owners, space, certificates. As much of each as a diagnosis asks for. */
export const lookingPrograms: Readonly<Record<string, Program>> = {
  df,
  openssl,
  tail,
  grep: (call) => (call.args[0] === '-rhE' ? grep(call) : otherwise('grep', call)),
  find: (call) => (call.args.includes('-perm') ? find(call) : otherwise('find', call)),
};

/** The same program asked in another way. */
const otherwise = (name: string, call: Call): Ended =>
  smallPrograms[name]?.(call) ?? fails(127, `${name}: command not found\n`);

/** `tail -n N FILE`, `tail -c +N FILE` */
function tail({ host, args }: Call): Ended {
  const path = args.at(-1) ?? '';
  const text = textAt(host, path);
  const from = args.includes('-c') ? Number(args[args.indexOf('-c') + 1]) : undefined;
  const lines = args.includes('-n') ? Number(args[args.indexOf('-n') + 1]) : 10;
  if (text === undefined) return fails(1, `tail: cannot open '${path}' for reading: No such file or directory\n`);
  if (from !== undefined)
    return done(
      Buffer.from(text)
        .subarray(Math.max(from - 1, 0))
        .toString(),
    );
  return done(text === '' ? '' : `${text.trimEnd().split('\n').slice(-lines).join('\n')}\n`);
}

/** `grep -rhE PATTERN PATH…`: lines without their file's name; 2 when a path is not there. */
function grep({ host, args }: Call): Ended {
  const [, pattern = '', ...paths] = args;
  const missing = paths.filter((p) => entryAt(host, p) === undefined);
  const files = paths.flatMap((p) => [p, ...below(host, p)]);
  const wanted = new RegExp(pattern);
  const found = files.flatMap((p) => (textAt(host, p) ?? '').split('\n').filter((l) => wanted.test(l)));
  const stderr = missing.map((p) => `grep: ${p}: No such file or directory\n`).join('');
  const exit = missing.length > 0 ? 2 : found.length === 0 ? 1 : 0;
  return { exit, stdout: found.map((l) => `${l}\n`).join(''), stderr, tookMs: 20 };
}

/** `find PATH … TEST…`: whose owner is not this user's, who can write; tests of the model are joined by "or", but for a user with a group. */
function find({ host, args }: Call): Ended {
  const [path = ''] = args;
  if (entryAt(host, path) === undefined) return fails(1, `find: ‘${path}’: No such file or directory\n`);
  const owner = args.includes('-user') ? args[args.indexOf('-user') + 1] : undefined;
  const perms = args.filter((_, i) => args[i - 1] === '-perm');
  const deepest = args.includes('-maxdepth') ? Number(args[args.indexOf('-maxdepth') + 1]) : Infinity;
  const depth = (p: string): number => p.split('/').length - path.split('/').length;
  const group = args.includes('-group') ? args[args.indexOf('-group') + 1] : undefined;
  const isTheirsAlone = (e: FileEntry): boolean =>
    e.owner === owner && e.group === group && (Number.parseInt(e.mode, 8) & 0o004) === 0;
  const fits = (e: FileEntry): boolean =>
    group !== undefined
      ? isTheirsAlone(e)
      : (owner !== undefined && e.owner !== owner) || perms.some((perm) => fitsMode(e, perm));
  const found = [path, ...below(host, path)].flatMap((p) => {
    if (depth(p) > deepest) return [];
    const entry = entryAt(host, p);
    return entry !== undefined && fits(entry)
      ? [`${listed(entry)} ${entry.owner}:${entry.group} ${p.replace(/^\/\//, '/')}\n`]
      : [];
  });
  return done(args.includes('-quit') ? (found[0] ?? '') : found.join(''));
}

/** `/022`: one of these bits; `! -perm -u+rw`: its owner lacks one; `-type d ! -perm -u+x`: its owner cannot enter it. */
function fitsMode({ type, mode }: FileEntry, perm: string): boolean {
  const bits = Number.parseInt(mode, 8);
  if (perm === '/022') return (bits & 0o022) !== 0;
  if (perm === '-u+x') return type === 'directory' && (bits & 0o100) === 0;
  return perm === '-u+rw' && (bits & 0o600) !== 0o600;
}

/** As `ls -l` shows a mode: `-rw-r-----`. */
function listed({ type, mode }: FileEntry): string {
  const bits = Number.parseInt(mode, 8);
  const letters = Array.from('rwxrwxrwx', (letter, i) => (((bits >> (8 - i)) & 1) === 1 ? letter : '-')).join('');
  return `${type === 'directory' ? 'd' : type === 'link' ? 'l' : '-'}${letters}`;
}

/** `df -P PATH` */
function df({ state, host }: Call): Ended {
  const { totalBytes, usedBytes } = host.disk;
  const full = position(state, 'disk-full', (f) => f.host === host.name) !== undefined;
  const used = full ? totalBytes : Math.min(usedBytes, totalBytes);
  const [total, taken] = [totalBytes, used].map((b) => Math.floor(b / 1024)) as [number, number];
  const percent = Math.ceil((taken / total) * 100);
  return done(
    `Filesystem     1024-blocks      Used Available Capacity Mounted on\n/dev/vda1 ${total} ${taken} ${total - taken} ${percent}% /\n`,
  );
}

/** `openssl x509 -in FILE …` and `openssl verify -CAfile FILE FILE`: by real certificates. */
function openssl({ state, host, args }: Call): Ended {
  const first = (path: string | undefined) => certificatesIn(textAt(host, path ?? '') ?? '')[0];
  if (args[0] === 'verify') {
    const [authority, own] = [args[args.indexOf('-CAfile') + 1], args.at(-1)];
    const [by, of] = [first(authority), first(own)];
    if (by !== undefined && of?.checkIssued(by) === true && of.verify(by.publicKey)) return done(`${own ?? ''}: OK\n`);
    return fails(2, `error ${own ?? ''}: verification failed\n`);
  }
  const found = first(args[args.indexOf('-in') + 1]);
  if (found === undefined) return fails(1, 'Could not open file or uri for loading certificate\n');
  const expired = Date.parse(found.validTo) < state.nowMs;
  const oneLine = (name: string): string => name.split('\n').join(', ');
  const lines = [`subject=${oneLine(found.subject)}`, `issuer=${oneLine(found.issuer)}`, `notAfter=${found.validTo}`];
  if (args.includes('-checkend')) lines.push(expired ? 'Certificate will expire' : 'Certificate will not expire');
  return { ...done(lines.map((l) => `${l}\n`).join('')), exit: args.includes('-checkend') && expired ? 1 : 0 };
}
