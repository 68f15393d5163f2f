import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { alike } from '../../engine/facts/alike.js';
import { content, file, type FileState } from '../../engine/facts/file.js';
import { packageBrings, type PackageBrings } from '../../engine/facts/package-brings.js';
import { isRpmHost } from '../../engine/facts/package-family.js';
import { predictPath, withSiblings } from '../../engine/modules/package/conffiles.js';
import { refKey, type Answer, type Fact } from '../../engine/terms/fact.js';
import type { Json } from '../../engine/terms/json.js';
import { buildDeb } from '../lab/build/build-deb.js';
import { packRpm } from '../lab/build/build-rpm.js';
import { workshop } from '../machines/local-host.js';

/** What is predicted of configuration files, held against what the real dpkg and the real rpm then do: every combination of them. */
jest.setTimeout(600_000);

type Kind = 'kept' | 'replaced' | 'plain';
/** What a version brings to the path; undefined: nothing. */
type Version = { readonly text: string; readonly kind: Kind } | undefined;
const brings = (kinds: readonly Kind[], texts: readonly string[]): readonly Version[] => [
  undefined,
  ...kinds.flatMap((kind) => texts.map((text) => ({ kind, text }))),
];
/** What an operator made of the file before the upgrade. */
const DISK = ['left alone', 'changed', 'changed to what comes', 'taken away'] as const;

let shop: ReturnType<typeof workshop>;
let path: string;
const on = { host: 'here' };
const at = { task: { step: 'test/play/step', on }, timeMs: 1 };
beforeAll(() => {
  shop = workshop();
  path = shop.path('etc/c.conf');
});
afterAll(() => shop.end());

const family = {
  deb: {
    kinds: ['kept', 'plain'],
    build: (version: string, brought: Version, scripts: string) =>
      buildDeb(spec(version, brought, scripts), shop.folder),
    begin: (admin: string): void => {
      for (const folder of ['info', 'updates', 'triggers']) mkdirSync(join(admin, folder), { recursive: true });
      writeFileSync(join(admin, 'status'), '');
    },
    install: (admin: string, packed: string) => [
      'dpkg',
      `--admindir=${admin}`,
      '--force-confold',
      '--force-downgrade',
      '-i',
      packed,
    ],
    /** The probe as on a host whose packages are kept in that folder. */
    there: (sh: string, admin: string) =>
      sh
        .replaceAll('dpkg-query', `dpkg-query --admindir=${admin}`)
        .replaceAll('/var/lib/dpkg', admin)
        .replaceAll(isRpmHost, 'false'),
  },
  rpm: {
    kinds: ['kept', 'replaced', 'plain'],
    build: async (version: string, brought: Version, scripts: string): Promise<string> => {
      const about = spec(version, brought, scripts);
      const root = mkdtempSync(join(tmpdir(), 'runbook-rpm-'));
      for (const { path: inside, text, mode } of about.files) {
        mkdirSync(dirname(join(root, inside)), { recursive: true });
        writeFileSync(join(root, inside), text);
        chmodSync(join(root, inside), mode);
      }
      const lists = {
        kept: brought?.kind === 'kept' ? [path] : [],
        replaced: brought?.kind === 'replaced' ? [path] : [],
      };
      const packed = await packRpm({ ...about, ...lists, directories: [], root }, shop.folder);
      rmSync(root, { recursive: true });
      return packed;
    },
    begin: (admin: string): void => void mkdirSync(admin, { recursive: true }),
    install: (admin: string, packed: string) => [
      'rpm',
      '--dbpath',
      admin,
      '--nodeps',
      '--nosignature',
      '--noplugins',
      '-U',
      '--oldpackage',
      packed,
    ],
    there: (sh: string, admin: string) =>
      `rpm() { command rpm --dbpath ${admin} "$@"; }\n${sh.replaceAll(isRpmHost, 'true')}`,
  },
} as const;

function spec(version: string, brought: Version, postinst: string) {
  const files = [
    ...(brought === undefined ? [] : [{ path: path.slice(1), text: brought.text, mode: 0o640 }]),
    { path: shop.path('share/version').slice(1), text: version, mode: 0o644 },
  ];
  return {
    name: 'runbook-conffiles',
    version,
    architecture: 'all' as const,
    description: 'tried',
    depends: [],
    conffiles: brought?.kind === 'kept' ? [path] : [],
    directories: [],
    files,
    scripts: postinst === '' ? {} : { postinst },
  };
}

const silent = (command: readonly string[]): void => {
  const [program = '', ...args] = command;
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, LC_ALL: 'C' } });
};

const value = async <V>(fact: Fact<string, V>, of: string): Promise<V> => {
  const found: Answer = await shop.ask(fact, of);
  if (found.is !== 'value') throw new Error(found.reason);
  return found.value as V;
};

/** The facts of the path and of what may lie beside it, by `refKey`. */
async function look(): Promise<Map<string, Json>> {
  const found = new Map<string, Json>();
  for (const each of withSiblings([path])) {
    found.set(refKey({ of: on, fact: 'file', key: each }), await value(file, each));
    found.set(refKey({ of: on, fact: 'content', key: each }), await value(content, each));
  }
  return found;
}

let trials = 0;
/** One upgrade: what was found, what was predicted, and what then was wrong about that. */
async function tried(
  kind: 'deb' | 'rpm',
  packed: readonly [string | undefined, string],
  disk: (typeof DISK)[number],
  next: string,
) {
  const { begin, install, there } = family[kind];
  const admin = shop.path(`admin-${(trials += 1)}`);
  rmSync(dirname(path), { recursive: true, force: true });
  begin(admin);
  if (packed[0] !== undefined) silent(install(admin, packed[0]));
  const mine = { 'left alone': undefined, changed: 'mine\n', 'changed to what comes': next, 'taken away': undefined }[
    disk
  ];
  if (mine !== undefined) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, mine);
    chmodSync(path, 0o600);
    chownSync(path, 12_345, 12_346);
  } else if (disk === 'taken away') rmSync(path, { force: true });

  const key = packageBrings.key({ name: 'runbook-conffiles', file: packed[1], paths: [path] });
  const env = { ...process.env, LC_ALL: 'C' };
  const stdout = execFileSync('sh', ['-c', there(packageBrings.sh(key), admin)], {
    env,
    encoding: 'latin1',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const answer = packageBrings.parse({ exit: 0, stdout }, key) as { readonly value: unknown };
  const { manager, paths } = answer.value as PackageBrings;
  const brought = paths[path];
  const state: FileState = await value(file, path);
  const before = await look();
  const told =
    brought === undefined || brought.scripts.is === 'content'
      ? undefined
      : predictPath({ manager, conffiles: 'keep', path, brought, state }, at);
  silent(install(admin, packed[1]));
  const after = await look();
  const wrong = [...after].flatMap(([ref, now]) => {
    const said = told?.find((p) => refKey(p.ref) === ref);
    if (told === undefined || (said !== undefined && 'unknown' in said)) return [];
    const expected = said === undefined ? (before.get(ref) ?? null) : said.value;
    return alike(expected, now) ? [] : [`${ref}: said ${JSON.stringify(expected)}, is ${JSON.stringify(now)}`];
  });
  return { brought, told, wrong };
}

describe.each(['deb', 'rpm'] as const)('configuration files of a %s', (kind) => {
  const { kinds, build } = family[kind];
  const befores = brings(kinds, ['A\n']);
  const afters = brings(kinds, ['A\n', 'B | b\n']);

  test('are after the upgrade what was predicted of them, whatever either version brings and whatever an operator did', async () => {
    const wrong: string[] = [];
    const open: string[] = [];
    for (const [i, was] of befores.entries())
      for (const [j, next] of afters.entries()) {
        const packed = [await build(`1.${i}-1`, was, ''), await build(`2.${j}-1`, next, '')] as const;
        for (const disk of DISK) {
          const found = await tried(kind, [i === 0 ? undefined : packed[0], packed[1]], disk, next?.text ?? 'B | b\n');
          const about = `${was?.kind ?? 'nothing'} → ${next?.kind ?? 'nothing'} ${next?.text === was?.text ? 'same' : 'other'}, ${disk}`;
          wrong.push(...found.wrong.map((w) => `${about}: ${w}`));
          if (found.told === undefined) open.push(about);
        }
      }
    expect(wrong).toEqual([]);
    expect(open).toEqual(kind === 'deb' ? [] : ['replaced → plain same, changed', 'kept → plain same, changed'].sort());
  });

  test('are not known where a script may write them, and are where it only gives them an owner', async () => {
    const was = await build('1.9-1', { kind: 'kept', text: 'A\n' }, '');
    const written = await build(
      '2.8-1',
      { kind: 'kept', text: 'B\n' },
      `#!/bin/sh\nd=${dirname(path)}\necho x >>$d/c.conf\n`,
    );
    const given = await build(
      '2.9-1',
      { kind: 'kept', text: 'B\n' },
      `#!/bin/sh\nchown -R 12345:12346 ${dirname(path)}\n`,
    );
    expect((await tried(kind, [was, written], 'changed', '')).brought).toMatchObject({
      next: { content: { text: 'B\n' } },
      scripts: { is: 'content' },
    });
    const found = await tried(kind, [was, given], 'changed', '');
    expect([found.wrong, found.told?.some((p) => 'value' in p && p.ref.fact === 'content')]).toEqual([[], true]);
  });
});

test('nothing of it is left on this machine', () => {
  expect(existsSync('/var/lib/dpkg/info/runbook-conffiles.list')).toBe(false);
});
