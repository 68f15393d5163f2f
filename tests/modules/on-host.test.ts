import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { service } from '../../engine/facts/service.js';
import { platform } from '../../engine/cli/platforms.js';
import { sha256 } from '../../engine/lib/hash.js';
import { stableStringify } from '../../engine/lib/json.js';
import type { Change, Verdict } from '../../engine/terms/change.js';
import { need, refKey, type FactRef, type Needs } from '../../engine/terms/fact.js';
import { isObject, type Json } from '../../engine/terms/json.js';
import { localHost, workshop } from '../machines/local-host.js';
import { moduleNamed } from './case-table.js';

/** The file modules on a real file system, through the engine's own shell: what they predict is what is found. */
let shop: ReturnType<typeof workshop>;
/** What no host answers, by `refKey`. */
let told: Map<string, Json>;
beforeEach(() => {
  shop = workshop(localHost, platform.hostFacts);
  told = new Map();
});
afterEach(() => shop.end());

const on = { host: 'here' };
const at = { task: { step: 'test/play/step', on }, timeMs: 1_763_672_651_000 };
const isRoot = process.getuid?.() === 0;

async function ask(needs: Needs): Promise<Record<string, Json>> {
  const open = Object.values(needs).filter((n) => !told.has(refKey(n)) && n.fact !== 'done');
  const answers = await shop.machine.ask(open);
  return Object.fromEntries(
    Object.entries(needs).map(([name, ref]) => {
      const answer = answers.get(refKey(ref));
      if (told.has(refKey(ref)) || ref.fact === 'done') return [name, told.get(refKey(ref)) ?? { is: 'never' }];
      if (answer?.is !== 'value') throw new Error(`${refKey(ref)}: ${stableStringify(answer ?? null)}`);
      return [name, answer.value];
    }),
  );
}

async function decide(module: string, args: Json): Promise<Verdict> {
  const m = moduleNamed(module);
  const now = await ask(m.needs(args, at));
  const verdict = m.decide(args, now, at);
  return verdict.is === 'more' ? m.decide(args, now, at, await ask(verdict.needs)) : verdict;
}

/** Times cannot be predicted; a new file is root's only when root makes it. */
function comparable(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(comparable);
  if (!isObject(value)) return value;
  const skipped = (key: string): boolean => key.endsWith('AtMs') || (!isRoot && (key === 'owner' || key === 'group'));
  return Object.fromEntries(Object.entries(value).flatMap(([k, v]) => (skipped(k) ? [] : [[k, comparable(v)]])));
}

const read = async (refs: readonly FactRef[]): Promise<Json> =>
  comparable(await ask(Object.fromEntries(refs.map((r) => [refKey(r), r]))));

async function perform(change: Change): Promise<void> {
  for (const action of change.actions) expect(await shop.perform(action)).toMatchObject({ is: 'applied' });
}

/** Decides, acts, finds what was predicted and nothing left to do. */
async function settle(module: string, args: Json): Promise<Change> {
  const verdict = await decide(module, args);
  if (verdict.is !== 'change') throw new Error(stableStringify(verdict as unknown as Json));
  const { change } = verdict;
  const known = change.predicts.flatMap((p) => ('value' in p && p.ref.fact !== 'done' ? [p] : []));
  const refs = known.map((p) => p.ref);
  await perform(change);
  expect(await read(refs)).toEqual(comparable(Object.fromEntries(known.map((p) => [refKey(p.ref), p.value]))));
  expect(await decide(module, args)).toMatchObject({ is: 'ok' });
  return change;
}

const put = (name: string, text: string | Buffer, mode = 0o644): string => {
  const path = shop.path(name);
  writeFileSync(path, text, { mode });
  return path;
};

describe('on a real file system', () => {
  test('file: content, mode, an empty one, a directory, a link, and nothing', async () => {
    const path = put('f', 'old\n', 0o640);
    await settle('file', { path, state: 'file', content: 'new é\n' });
    await settle('file', { path, state: 'file', mode: '0600' });
    await settle('file', { path: shop.path('g'), state: 'file' });
    await settle('file', { path: shop.path('d'), state: 'directory', mode: '0750' });
    await settle('file', { path: shop.path('l'), state: 'link', target: path });
    await settle('file', { path, state: 'absent' });
    await settle('file', { path: put('latin', Buffer.from([0xe9, 10])), state: 'absent' });
    expect(readdirSync(shop.folder).sort()).toEqual(['d', 'g', 'l']);
  });

  test('file-edit, xml-merge and yaml-merge', async () => {
    await settle('file-edit', {
      path: put('list', '#deb x\n'),
      replace: [{ pattern: '^#(deb .*)$', with: '$1' }],
    });
    await settle('file-edit', { path: put('latin', Buffer.from([0xe9, 13, 10])), lines: [{ line: 'ü' }] });
    const set = [{ element: 'ruleset', children: { list: ['etc/lists/x'] }, lists: { list: 'add_missing' } }];
    await settle('xml-merge', { path: put('c', '<r>\n  <a>1 & 2</a>\n</r>\n<r/>\n', 0o660), root: 'r', set });
    await settle('yaml-merge', { path: put('y', 'a.b: 1 # c\n'), set: { 'a.b': 2, 'k.l': [1, 'x'] } });
  });

  test('backup: an older copy is renamed, whole directories are read back', async () => {
    const path = put('f', 'mine\n');
    put('f.bak', 'older\n');
    await settle('backup', { file: path, as: `${path}.bak` });
    const [older] = readdirSync(shop.folder).filter((n) => /^f\.bak\.\d{8}T\d{6}Z$/.test(n));
    expect(readFileSync(shop.path(older ?? ''), 'utf8')).toBe('older\n');
    mkdirSync(shop.path('conf/certs'), { recursive: true, mode: 0o750 });
    put('conf/a.yml', 'a: 1\n', 0o640);
    put('conf/certs/key.pem', 'key\n', 0o400);
    await settle('backup', { paths: [shop.path('conf'), path], to: shop.path('kept') });
    await settle('backup', {
      paths: [shop.path('conf')],
      to: shop.path('some'),
      exclude: [shop.path('conf/certs/key.pem')],
    });
    expect(readdirSync(shop.path(`some${shop.path('conf/certs')}`))).toEqual([]);
  });

  test('archive: unpacked once, an older one replaced, a hostile one refused', async () => {
    const pack = (name: string, ...argv: string[]): string => {
      execFileSync('tar', ['-czf', shop.path(name), ...argv], { cwd: shop.path('src') });
      return shop.path(name);
    };
    mkdirSync(shop.path('src/platform/alerts'), { recursive: true });
    put('src/platform/module.yml', 'v: 1\n');
    put('src/platform/alerts/a.yml', 'a: 1\n');
    mkdirSync(shop.path('module'));
    put('module/own.yml', 'own\n');
    const args = { archive: pack('m.tar.gz', 'platform'), into: shop.path('module') };
    await settle('archive', args);
    expect(readdirSync(shop.path('module')).sort()).toEqual(['own.yml', 'platform']);
    put('src/platform/module.yml', 'v: 2\n');
    // It came after the files were unpacked, by the file system's own clock.
    const unpackedMs = statSync(shop.path('module/platform/module.yml')).ctimeMs;
    do pack('m.tar.gz', 'platform');
    while (Math.round(statSync(args.archive).ctimeMs) <= Math.round(unpackedMs));
    await settle('archive', args);
    expect(readFileSync(shop.path('module/platform/module.yml'), 'utf8')).toBe('v: 2\n');
    const out = pack('bad.tar.gz', '-P', '--transform=s,module.yml,../../x,', 'platform/module.yml');
    expect(await decide('archive', { archive: out, into: shop.path('module') })).toMatchObject({
      is: 'blocked',
      reason: expect.stringMatching(/leads out/),
    });
  });

  test('download: what the controller fetched replaces what was there', async () => {
    const text = '{"index_patterns":["p"]}';
    const source = put('fetched', text);
    const url = 'https://packages.example.com/t.json';
    const key = `controller|download|${JSON.stringify({ url })}`;
    told.set(key, {
      is: 'fetched',
      path: source,
      sizeBytes: text.length,
      sha256: sha256(text),
      contentType: 'application/json',
      text,
    });
    await settle('download', {
      url,
      path: put('t.json', '{}\n', 0o600),
      expect: { json: true, has: ['/index_patterns'] },
      mode: '0644',
    });
    await settle('download', { url, path: shop.path('new.json') });
  });

  test('log-shipper: a log that was rotated twice is shipped, with the day between, by what the shipper knew', async () => {
    const daysAgo = (n: number): Date => new Date(Date.now() - n * 86_400_000);
    const nameOf = (n: number): string =>
      shop.path(execFileSync('date', ['-d', daysAgo(n).toISOString(), '+%F.json'], { encoding: 'utf8' }).trim());
    const written = (path: string, text: string, n: number): void => {
      writeFileSync(path, text);
      utimesSync(path, daysAgo(n), daysAgo(n));
    };
    const [file, keep, data] = ['alerts.json', 'kept', 'data'].map((name) => shop.path(name)) as [
      string,
      string,
      string,
    ];
    const ship = ['sh', '-c', `cd ${shop.folder} && cat kept/*.json > out && cat kept/data/registry/log.json >> out`];
    const log = { file, directory: keep, data, rotated: shop.path('%F.json'), test: ['true'], ship };
    const down = { load: 'loaded', active: 'inactive', sub: 'dead', enabled: '', processes: 0, startedAtMs: null, needsReload: false }; // prettier-ignore
    told.set(refKey(need(on, service, 'shipper')), down);
    const act = async (state: string): Promise<void> => {
      const verdict = await decide('log-shipper', { unit: 'shipper', state, log });
      if (verdict.is !== 'change') throw new Error(stableStringify(verdict as unknown as Json));
      for (const action of verdict.change.actions) {
        // A job asks for a service manager, which is not everywhere where this runs.
        const outcome = await shop.perform(action.do === 'job' ? { ...action, do: 'run' } : action);
        expect(['applied', 'ended 0']).toContain(outcome.is === 'ended' ? `ended ${outcome.exit}` : outcome.is);
      }
    };

    mkdirSync(`${data}/registry`, { recursive: true });
    writeFileSync(`${data}/registry/log.json`, `{"source":"${file}","offset":4}\n`);
    written(file, 'one\ntwo\n', 2);
    await act('stopped');
    expect(await decide('log-shipper', { unit: 'shipper', state: 'stopped', log })).toMatchObject({ is: 'ok' });
    appendFileSync(file, 'three\n');
    utimesSync(file, daysAgo(2), daysAgo(2));
    renameSync(file, nameOf(2));
    written(nameOf(1), 'the day between\n', 1);
    for (const n of [1, 2]) execFileSync('gzip', ['-f', nameOf(n)]);
    written(file, 'today\n', 0);
    await act('shipped');
    expect(readFileSync(shop.path('out'), 'utf8')).toBe(
      `the day between\none\ntwo\nthree\n{"source":"${keep}/alerts.json","offset":4}\n`,
    );
    expect(readdirSync(shop.folder).filter((name) => name === 'kept')).toEqual([]);
    expect(readFileSync(`${data}/registry/log.json`, 'utf8')).toContain(`"${file}"`);
  });
});
