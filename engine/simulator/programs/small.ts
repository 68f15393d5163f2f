import { gunzipSync } from 'node:zlib';
import { dateText } from '../dates.js';
import { matchesPattern } from '../pattern.js';
import { below, bytesOf, entryAt, hashOf, inodeOf, putFile, removeEntry, textAt } from '../files.js';
import type { HostState } from '../state.js';
import { nextSerial } from '../timers.js';
import { done, fails } from './call.js';
import type { Call, Ended, Program } from '../rules.js';

const hashLine = (host: HostState, path: string): string => {
  const entry = host.files[path];
  return entry === undefined ? '' : `${hashOf(entry)}  ${path}\n`;
};

/** What stands directly in directories, by names. */
function removeNamed(host: HostState, args: readonly string[]): void {
  const names = args.filter((_, i) => args[i - 1] === '-name');
  for (const directory of args.slice(0, args.indexOf('-maxdepth')))
    for (const path of below(host, directory)) {
      const name = path.slice(directory.length + 1);
      if (!name.includes('/') && names.some((glob) => matchesPattern(name, glob))) removeEntry(host, path);
    }
}

/** Programs of every host that a playbook may ask with. */
export const smallPrograms: Readonly<Record<string, Program>> = {
  true: () => done(),
  false: () => fails(1, ''),
  echo: ({ args }) => done(`${args.join(' ')}\n`),
  hostname: ({ host }) => done(`${host.name}\n`),
  uname: ({ host, args }) => done(args.includes('-m') ? `${architecture(host)}\n` : 'Linux\n'),
  id: ({ args }) => done(args.includes('-u') ? '0\n' : 'uid=0(root) gid=0(root) groups=0(root)\n'),
  date: ({ state, args }) =>
    done(
      args[0] === '+%s'
        ? `${Math.floor(state.nowMs / 1000)}\n`
        : args.at(-1) === '+%F'
          ? `${new Date(state.nowMs + minutesIn(args) * 60_000).toISOString().slice(0, 10)}\n`
          : args[0]?.startsWith('+/') === true
            ? `${dateText(args[0].slice(1), new Date(state.nowMs))}\n`
            : `${new Date(state.nowMs).toISOString()}\n`,
    ),
  cat: ({ host, args }) =>
    each(args, (path) => (textAt(host, path) === undefined ? missing('cat', path) : done(textAt(host, path)))),
  ls: ({ host, args }) =>
    each(
      args.filter((a) => !a.startsWith('-')),
      (path) =>
        entryAt(host, path) === undefined
          ? fails(2, `ls: cannot access '${path}': No such file or directory\n`)
          : entryAt(host, path)?.type === 'directory'
            ? done(children(host.files, below(host, path), path))
            : done(`${path}\n`),
    ),
  // `find [-L] DIR… -type f`, and of those `-size +0`, `-mmin -MINUTES`, `-name GLOB -o -name GLOB`, `! -name GLOB`;
  // `-exec sed -i s|TEXT|OTHER|g {} +`, `-exec sha256sum {} +`; `find DIR… -maxdepth 1 -name GLOB … -exec rm -rf {} +`
  find: ({ state, host, args: all }) => {
    const args = all.filter((a) => a !== '-L');
    const [, text, other] = args.find((a, i) => args[i - 2] === 'sed' && a.startsWith('s|'))?.split('|') ?? [];
    if (text !== undefined && other !== undefined) return substitute(host, args[0] ?? '', text, other);
    if (args.includes('rm')) {
      removeNamed(host, args);
      return done();
    }
    const youngest = args.includes('-mmin') ? Number(args[args.indexOf('-mmin') + 1]?.slice(1)) : Infinity;
    const isYoung = (path: string): boolean => state.nowMs - (host.files[path]?.changedAtMs ?? 0) < youngest * 60_000;
    const named = (not: boolean): string[] =>
      args.filter((_, i) => args[i - 1] === '-name' && (args[i - 2] === '!') === not);
    const [names, others] = [named(false), named(true)];
    const isNamed = (path: string): boolean => {
      const fits = (name: string): boolean => matchesPattern(path.slice(path.lastIndexOf('/') + 1), name);
      return (names.length === 0 || names.some(fits)) && !others.some(fits);
    };
    const tests = args.findIndex((arg) => arg.startsWith('-'));
    return done(
      args
        .slice(0, tests === -1 ? undefined : tests)
        .flatMap((directory) => below(host, directory))
        .filter((path) => host.files[path]?.type === 'file' && (!args.includes('-size') || textAt(host, path) !== ''))
        .filter((path) => isYoung(path) && isNamed(path))
        .map((path) => (args.includes('sha256sum') ? hashLine(host, path) : `${path}\n`))
        .join(''),
    );
  },
  // `du -sk DIR`: the size of its files, in KiB
  du: ({ host, args }) => {
    const path = args.at(-1) ?? '';
    if (entryAt(host, path) === undefined) return missing('du', path);
    const files = below(host, path).map((at) => entryAt(host, at));
    const bytes = files.reduce((sum, file) => sum + (file === undefined ? 0 : bytesOf(file).length), 0);
    return done(`${Math.ceil(bytes / 1024)}\t${path}\n`);
  },
  // `ln -f FILE NAME`: the same file under a second name
  ln: ({ host, args }) => {
    const [from = '', to = ''] = args.slice(-2);
    const file = host.files[from];
    if (file === undefined) return fails(1, `ln: failed to access '${from}': No such file or directory\n`);
    file.inode = inodeOf(file);
    host.files[to] = file;
    return done();
  },
  // `gunzip -f FILE.gz`
  gunzip: ({ state, host, args }) => {
    const path = args.at(-1) ?? '';
    const packed = host.files[path];
    if (packed === undefined) return fails(1, `gzip: ${path}: No such file or directory\n`);
    const to = path.replace(/\.gz$/, '');
    putFile(host, to, { text: gunzipSync(bytesOf(packed)).toString('utf8') }, state.nowMs);
    Object.assign(host.files[to] ?? {}, { inode: nextSerial(state) });
    removeEntry(host, path);
    return done();
  },
  rm: ({ host, args }) => {
    for (const path of args.filter((a) => !a.startsWith('-'))) removeEntry(host, path);
    return done();
  },
  // `stat -c FORMAT FILE…`: inode, size, name
  stat: ({ host, args: [, format = '', ...paths] }) =>
    each(paths, (path) => {
      const file = entryAt(host, path);
      return file === undefined
        ? fails(1, `stat: cannot statx '${path}': No such file or directory\n`)
        : done(
            `${format
              .replace('%i', String(inodeOf(file)))
              .replace('%s', String(bytesOf(file).length))
              .replace('%n', path)}\n`,
          );
    }),
  // `grep -c TEXT FILE`: how many lines hold it
  grep: ({ host, args }) => {
    const [words = '', path = ''] = args.slice(-2);
    const text = textAt(host, path);
    if (text === undefined) return fails(2, `grep: ${path}: No such file or directory\n`);
    const count = text.split('\n').filter((line) => line.includes(words)).length;
    return { exit: count > 0 ? 0 : 1, stdout: `${count}\n`, stderr: '', tookMs: 0 };
  },
  // `diff -rq DIR DIR`: files of both that are not the same
  diff: ({ host, args }) => {
    const [a = '', b = ''] = args.slice(-2);
    if (entryAt(host, a) === undefined || below(host, b).length === 0)
      return fails(2, `diff: ${b}: No such file or directory\n`);
    const differ = below(host, a).filter((path) => {
      const other = textAt(host, b + path.slice(a.length));
      return other !== undefined && other !== textAt(host, path);
    });
    const lines = differ.map((path) => `Files ${path} and ${b}${path.slice(a.length)} differ\n`);
    return { ...done(lines.join('')), exit: lines.length === 0 ? 0 : 1 };
  },
  sha256sum: ({ host, args }) =>
    each(args, (path) => (host.files[path]?.type === 'file' ? done(hashLine(host, path)) : missing('sha256sum', path))),
  test,
  tee: ({ state, host, args, stdin }) => {
    const path = args.at(-1) ?? '';
    const before = args.includes('-a') ? (textAt(host, path) ?? '') : '';
    host.files[path] = {
      ...(host.files[path] ?? { type: 'file', encoding: 'utf8', owner: 'root', group: 'root', mode: '0644' }),
      text: before + stdin,
      changedAtMs: state.nowMs,
    };
    return done(stdin);
  },
  logger: ({ state, rules, host, args, stdin }) => {
    const words = args.filter((a, i) => !a.startsWith('-') && args[i - 1] !== '-t');
    for (const line of words.length > 0 ? [words.join(' ')] : stdin.split('\n'))
      if (line !== '') rules.logged?.(state, host, line);
    return done();
  },
  journalctl: ({ host, args }) => {
    const unit = (args[args.indexOf('-u') + 1] ?? '').replace(/\.service$/, '');
    const lines = Number(args[args.indexOf('-n') + 1] ?? '50') || 50;
    return done(
      (host.services[unit]?.journal ?? [])
        .slice(-lines)
        .map((l) => `${l}\n`)
        .join(''),
    );
  },
};

/** Where a host's processor is written that is not like the others'. */
export const ARCHITECTURE = '/System/arch';

/** The machine's architecture, as `uname -m` says it. */
export const architecture = (host: HostState): string => textAt(host, ARCHITECTURE)?.trim() ?? 'x86_64';

function substitute(host: HostState, dir: string, text: string, other: string): Ended {
  for (const path of below(host, dir)) {
    const file = host.files[path];
    if (file?.type === 'file') file.text = file.text.replaceAll(text, other);
  }
  return done();
}

/** `-d '90 minutes'` */
const minutesIn = (args: readonly string[]): number =>
  Number(/^(\d+) minutes$/.exec(args[args.indexOf('-d') + 1] ?? '')?.[1] ?? '0');

const missing = (program: string, path: string): Ended => fails(1, `${program}: ${path}: No such file or directory\n`);

function each(paths: readonly string[], one: (path: string) => Ended): Ended {
  return paths.map(one).reduce(
    (a, b) => ({
      exit: Math.max(a.exit, b.exit),
      stdout: a.stdout + b.stdout,
      stderr: a.stderr + b.stderr,
      tookMs: a.tookMs,
    }),
    done(),
  );
}

function children(_: unknown, paths: readonly string[], dir: string): string {
  const names = new Set(paths.map((p) => p.slice(dir.length + 1).split('/')[0]));
  return [...names].map((n) => `${n ?? ''}\n`).join('');
}

function test({ host, args }: Call): Ended {
  const [flag = '', path = ''] = args;
  const entry = entryAt(host, path);
  const holds =
    flag === '-d'
      ? entry?.type === 'directory'
      : flag === '-f'
        ? entry?.type === 'file'
        : flag === '-s'
          ? entry !== undefined && bytesOf(entry).length > 0
          : flag === '-e'
            ? entry !== undefined
            : flag === '-L'
              ? entry?.type === 'link'
              : false;
  return holds ? done() : fails(1, '');
}
