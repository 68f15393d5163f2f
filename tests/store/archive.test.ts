import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { packTar, unpackTar, type TarHeader } from 'modern-tar';
import { sha256 } from '../../engine/lib/hash.js';
import { archiveOf, openArchive, type ArchivedRun } from '../../engine/store/archive.js';
import { copyRun } from '../../engine/store/copy.js';
import { openFileStore } from '../../engine/store/files.js';
import { FILES, type RunStore } from '../../engine/store/run-store.js';

const root = mkdtempSync(join(tmpdir(), 'runbook-archive-'));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;
const newStore = (): RunStore => openFileStore(join(root, String((folders += 1)), 'runs'));

const RUN = '2026-11-26T17-38-00Z';
const TEXT = 'a large text';
const LARGE = `blobs/${sha256(TEXT)}`;

async function exported(store: RunStore): Promise<Buffer> {
  const archive = await archiveOf(store, RUN, '0.1.0');
  if ('mistake' in archive) throw new Error(archive.mistake);
  return archive;
}

async function opened(bytes: Buffer): Promise<ArchivedRun> {
  const archive = await openArchive(bytes);
  if ('mistake' in archive) throw new Error(archive.mistake);
  return archive;
}

async function sample(): Promise<Buffer> {
  const store = newStore();
  await store.append(RUN, 0, [Buffer.from('{"seq":1}'), Buffer.from('{"seq":2}')]);
  await store.putBlob(RUN, 'copy.json', Buffer.from('{}'));
  await store.putBlob(RUN, LARGE, Buffer.from(TEXT));
  return exported(store);
}

test('any run is the same after export and import, to the byte of a second export', async () => {
  const bytes = fc.uint8Array({ maxLength: 1500 }).map((array) => Buffer.from(array));
  const line = bytes.map((array) => Buffer.from(array.filter((byte) => byte !== 0x0a)));
  const files = fc.dictionary(fc.constantFrom(...FILES), bytes);
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), files, fc.array(bytes), async (lines, named, texts) => {
      const [from, to] = [newStore(), newStore()];
      await from.append(RUN, 0, lines);
      const blobs = [...Object.entries(named), ...texts.map((text) => [`blobs/${sha256(text)}`, text] as const)];
      for (const [name, content] of blobs) await from.putBlob(RUN, name, content);
      const archive = await exported(from);
      const { run, program, source } = await opened(archive);
      expect([run, program]).toEqual([RUN, '0.1.0']);
      await copyRun(source, to, run);
      expect(await to.read(RUN, 0)).toEqual(await from.read(RUN, 0));
      expect(await to.listBlobs(RUN)).toEqual(await from.listBlobs(RUN));
      expect((await exported(to)).equals(archive)).toBe(true);
      await Promise.all([from.close(), to.close()]);
    }),
    { numRuns: 30 },
  );
});

test('what a run keeps of typed secrets is not exported', async () => {
  const folder = join(root, String((folders += 1)), 'runs');
  const store = openFileStore(folder);
  await store.append(RUN, 0, [Buffer.from('{}')]);
  writeFileSync(join(folder, RUN, 'typed.json'), '{"password":"x"}');
  const entries = await unpackTar(gunzipSync(await exported(store)));
  expect(entries.map(({ header }) => header.name)).toEqual([`${RUN}/manifest.json`, `${RUN}/journal.ndjson`]);
  expect(entries.map(({ header }) => header.mode)).toEqual([0o600, 0o600]);
});

interface Member {
  readonly header: TarHeader;
  readonly text: string;
}

/** The members of an export after an edit, as an archive that is whole. */
async function edited(archive: Buffer, edit: (members: readonly Member[]) => readonly Member[]): Promise<Buffer> {
  const entries = await unpackTar(gunzipSync(archive));
  const members = edit(entries.map(({ header, data }) => ({ header, text: Buffer.from(data ?? []).toString() })));
  return gzipSync(
    await packTar(members.map(({ header, text }) => ({ header: { ...header, size: text.length }, body: text }))),
  );
}

const member = (name: string, text = '', more: Partial<TarHeader> = {}): Member => ({
  header: { name, size: text.length, type: 'file', ...more },
  text,
});
const adding = (added: Member) => (archive: Buffer) => edited(archive, (members) => [...members, added]);
const manifest = (edit: (text: string) => string) => (archive: Buffer) =>
  edited(archive, ([first, ...rest]) => (first === undefined ? rest : [{ ...first, text: edit(first.text) }, ...rest]));

const isNoExport = 'is not an export of a run; runbook runs --export RUN -o FILE writes one';
const DAMAGED: readonly (readonly [string, (archive: Buffer) => Buffer | Promise<Buffer>, string])[] = [
  ['an empty file', () => Buffer.alloc(0), isNoExport],
  ['a text', () => Buffer.from('runs:\n'), isNoExport],
  ['a compressed text', () => gzipSync('runs:\n'), isNoExport],
  ['another tar', async () => gzipSync(await packTar([{ header: { name: 'a/b', size: 0 } }])), isNoExport],
  ['a tar whose end is missing', (archive) => gzipSync(gunzipSync(archive).subarray(0, 1600)), isNoExport],
  ['a file that ends early', (archive) => archive.subarray(0, -20), 'is truncated: its end is missing'],
  [
    'a byte that was changed',
    (archive) => Buffer.from(archive.map((byte, i) => (i === archive.length - 6 ? byte ^ 1 : byte))),
    'is damaged: incorrect data check',
  ],
  [
    'another format',
    manifest((text) => text.replace('"version": 1', '"version": 2').replace('0.1.0', '0.9.0')),
    'has format 2 of runbook "0.9.0"; this version reads format 1',
  ],
  ['a manifest that is none', manifest(() => '[]'), isNoExport],
  ['a manifest that is no JSON', manifest((text) => text.slice(1)), isNoExport],
  [
    'a manifest without members',
    manifest((text) => text.replace('"members"', '"others"')),
    'is damaged: its manifest is not complete',
  ],
  [
    'a run above the folder',
    manifest((text) => text.replace(`"${RUN}"`, '"../runs"')),
    'has an invalid run id: "../runs"',
  ],
  ['another run', manifest((text) => text.replace(`"${RUN}"`, '"2026"')), 'is damaged: its manifest is not complete'],
  [
    'a member above the folder',
    adding(member(`${RUN}/../copy.json`)),
    `holds "${RUN}/../copy.json", which is not a file of a run`,
  ],
  ['a member outside the folder', adding(member('/etc/passwd')), 'holds "/etc/passwd", which is not a file of a run'],
  ['typed.json', adding(member(`${RUN}/typed.json`)), `holds "${RUN}/typed.json", which is not a file of a run`],
  [
    'a symbolic link',
    adding(member(`${RUN}/run.log`, '', { type: 'symlink', linkname: '/etc/passwd' })),
    `holds "${RUN}/run.log", which is not a regular file`,
  ],
  [
    'a hard link',
    adding(member(`${RUN}/run.log`, '', { type: 'link', linkname: `${RUN}/copy.json` })),
    `holds "${RUN}/run.log", which is not a regular file`,
  ],
  [
    'a folder',
    adding(member(`${RUN}/blobs/`, '', { type: 'directory' })),
    `holds "${RUN}/blobs/", which is not a regular file`,
  ],
  ['a member twice', adding(member(`${RUN}/copy.json`, '{}')), `holds "${RUN}/copy.json" twice`],
  [
    'a member that the manifest does not name',
    adding(member(`${RUN}/plan.json`, '{}')),
    `is damaged: "${RUN}/plan.json" is not what was exported`,
  ],
  [
    'a member that was edited',
    (archive) => edited(archive, (all) => all.map((one) => ({ ...one, text: one.text.replace('"seq":2', '"seq":3') }))),
    `is damaged: "${RUN}/journal.ndjson" is not what was exported`,
  ],
  [
    'a large text whose name is another hash',
    (archive) =>
      edited(archive, (all) =>
        all.map((one) => ({
          ...one,
          text: one.text.replace(TEXT, 'another').replace(`: "${sha256(TEXT)}"`, `: "${sha256('another')}"`),
        })),
      ),
    `is damaged: "${RUN}/${LARGE}" is not what was exported`,
  ],
  [
    'a member that is missing',
    (archive) => edited(archive, (all) => all.slice(0, -1)),
    `is damaged: "${RUN}/copy.json" is missing`,
  ],
];

describe('an archive that is refused', () => {
  test.each(DAMAGED)('%s', async (_what, damage, mistake) => {
    expect(await openArchive(await damage(await sample()))).toEqual({ mistake });
  });

  test('a member that is larger than an archive may be, before it is unpacked', async () => {
    const archive = await adding(member(`${RUN}/run.log`, 'x'.repeat(2_000_000)))(await sample());
    expect(archive.length).toBeLessThan(10_000);
    expect(await openArchive(archive, 1_000_000)).toEqual({ mistake: 'is too large: more than 1 MB unpacked' });
  });

  test('any byte that was changed or cut off', async () => {
    const archive = await sample();
    const whole = await opened(archive);
    await fc.assert(
      fc.asyncProperty(fc.nat(archive.length - 1), fc.integer({ min: 1, max: 255 }), async (at, bits) => {
        const changed = Buffer.from(archive);
        changed[at] = (changed[at] ?? 0) ^ bits;
        const read = await openArchive(changed);
        // A byte of the head of the compressed file, such as its time, is not of the run.
        if (!('mistake' in read)) expect(await read.source.read(RUN, 0)).toEqual(await whole.source.read(RUN, 0));
        expect(await openArchive(archive.subarray(0, at))).toHaveProperty('mistake');
      }),
      { numRuns: 200 },
    );
  });
});
