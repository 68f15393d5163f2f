import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Action, Outcome } from '../../engine/terms/action.js';
import type { Change, Verdict } from '../../engine/terms/change.js';
import { packageManager } from '../../engine/facts/package-manager.js';
import { need, refKey, type Needs } from '../../engine/terms/fact.js';
import type { Json, JsonObject } from '../../engine/terms/json.js';
import type { Judgement } from '../../engine/terms/module.js';
import { buildDeb } from '../lab/build/build-deb.js';
import { buildRpm, packRpm } from '../lab/build/build-rpm.js';
import { moduleNamed } from '../modules/case-table.js';
import { packageSandbox } from './support/package-sandbox.js';

/** What the modules `package` and `package-hold` order, done by the real apt and the real dnf: holds, locks, and the rollback. */
jest.setTimeout(600_000);

const NAME = 'rb-probe';
const on = { host: 'here' };
const at = { task: { step: 'test/play/step', on }, timeMs: 1 };
const HOLDS = '/var/lib/rb-holds';
const KEPT = '/var/backups/rb/packages';

let box: Awaited<ReturnType<typeof packageSandbox>>;
let repository: string;
let server: Server;
let url: string;
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await box.end();
});

/** Over HTTP, for of a repository on the host itself nothing is put into the cache. */
async function serve(): Promise<string> {
  server = createServer((request, response) => {
    const path = join(repository, decodeURIComponent(request.url ?? '/'));
    if (existsSync(path)) response.end(readFileSync(path));
    else response.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Scripts = Readonly<Partial<Record<'preinst' | 'postinst' | 'postrm', string>>>;

const spec = (version: string, scripts: Scripts = {}) => ({
  name: NAME,
  version,
  architecture: 'all' as const,
  description: 'tried',
  depends: [],
  conffiles: [],
  directories: [],
  files: [{ path: 'opt/rb-probe', text: `${version}\n`, mode: 0o644 }],
  scripts: Object.fromEntries(Object.entries(scripts).map(([name, text]) => [name, `#!/bin/sh\n${text}\n`])),
});

/** What the engine answers of the step that was ordered last. */
let before: Json = { is: 'never' };

async function ask(needs: Needs): Promise<Record<string, Json>> {
  const answers = await box.machine.ask(Object.values(needs).filter(({ fact }) => fact !== 'done'));
  return Object.fromEntries(
    Object.entries(needs).map(([name, ref]) => {
      if (ref.fact === 'done') return [name, before];
      const answer = answers.get(refKey(ref));
      if (answer?.is !== 'value') throw new Error(`${refKey(ref)}: ${JSON.stringify(answer)}`);
      return [name, answer.value];
    }),
  );
}

async function decide(module: string, args: JsonObject): Promise<Verdict> {
  const m = moduleNamed(module);
  const now = await ask(m.needs(args, at));
  let [verdict, more] = [m.decide(args, now, at), {} as Record<string, Json>];
  while (verdict.is === 'more') {
    more = { ...more, ...(await ask(verdict.needs)) };
    verdict = m.decide(args, now, at, more);
  }
  return verdict;
}

/** There is no systemd here to keep a job: its command is run all the same. */
const perform = (action: Action): Promise<Outcome> =>
  box.perform(action.do === 'job' ? { ...action, do: 'run' } : action);

/** The first action that does not end well stops it, as in the engine; `undefined`: all did. */
async function carryOut(module: string, args: JsonObject, { actions }: Change): Promise<Judgement | undefined> {
  for (const action of actions) {
    const outcome = await perform(action);
    if (outcome.is !== 'ended') expect(outcome).toMatchObject({ is: 'applied' });
    const judgement = moduleNamed(module).judge?.(args, outcome, action) ?? { is: 'done' };
    if (judgement.is !== 'done') return judgement;
  }
  return undefined;
}

/** Decides and acts until nothing is left to do; answers what was done. */
async function settle(module: string, args: JsonObject): Promise<readonly string[]> {
  const done: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    const verdict = await decide(module, args);
    if (verdict.is === 'ok') return done;
    if (verdict.is !== 'change') throw new Error(JSON.stringify(verdict));
    expect(await carryOut(module, args, verdict.change)).toBeUndefined();
    done.push(verdict.change.summary);
  }
  throw new Error(`still not done: ${done.join(', ')}`);
}

/** What `package-index` orders: each test stands on what the repository offers then. */
async function updateIndex(): Promise<void> {
  const args = { state: 'updated' };
  const { manager = null } = await ask({ manager: need(on, packageManager, null) });
  const verdict = moduleNamed('package-index').decide(args, { done: { is: 'never' }, manager }, at);
  if (verdict.is !== 'change') throw new Error(JSON.stringify(verdict));
  expect(await carryOut('package-index', args, verdict.change)).toBeUndefined();
}

const pack = (args: JsonObject): JsonObject => ({ name: NAME, ...args });
const held = { packages: [NAME], note: HOLDS, state: 'held' };

/** A package that has what scripts of others need: no rpm of this machine's brought it. */
const shell = (folder: string): Promise<string> =>
  packRpm({ ...spec('1.0-1'), name: 'rb-shell', root: repository, kept: [], provides: ['/bin/sh'] }, folder);

const family = {
  deb: {
    build: buildDeb,
    publish: (): void => {
      const packages = execFileSync('apt-ftparchive', ['packages', '.'], { cwd: repository, encoding: 'utf8' });
      writeFileSync(join(repository, 'Packages'), packages);
    },
    source: (url: string) => `echo 'deb [trusted=yes] ${url} ./' >/etc/apt/sources.list.d/rb.list`,
    file: '/etc/apt/sources.list.d/rb.list',
    disable: "sed -i 's/^/# /' /etc/apt/sources.list.d/rb.list; apt-get -qq update",
    clean: 'apt-get clean',
    hold: `apt-mark hold ${NAME}`,
    /** A line for each hold. */
    holds: 'apt-mark showhold',
    version: `dpkg-query -W -f '\${Version}' ${NAME}`,
  },
  rpm: {
    build: buildRpm,
    publish: (): void => void execFileSync('createrepo_c', ['-q', repository], { stdio: 'ignore' }),
    source: (url: string) =>
      `printf '[rb]\\nname=rb\\nbaseurl=${url}\\nenabled=1\\ngpgcheck=0\\n' >/etc/yum.repos.d/rb.repo`,
    file: '/etc/yum.repos.d/rb.repo',
    disable: "sed -i 's/^enabled=1/enabled=0/' /etc/yum.repos.d/rb.repo",
    clean: 'dnf clean packages',
    hold: `dnf -q -y versionlock add ${NAME}`,
    holds: 'grep -v "^#" /etc/dnf/plugins/versionlock.list | grep .',
    version: `rpm -q --qf '%{VERSION}-%{RELEASE}' ${NAME}`,
  },
} as const;

describe.each(['deb', 'rpm'] as const)('packages of a %s host', (kind) => {
  const { build, publish, source, file, disable, clean, hold, holds, version } = family[kind];
  const heldAs = (...versions: readonly string[]): string =>
    versions.map((v) => (kind === 'deb' ? `${NAME}\n` : `${NAME}-0:${v}.*\n`)).join('');

  /** The repository offers just these. */
  async function offer(...packages: readonly (readonly [version: string, scripts?: Scripts])[]): Promise<void> {
    rmSync(repository, { recursive: true, force: true });
    mkdirSync(repository);
    for (const each of packages) await build(spec(...each), repository);
    publish();
    await updateIndex();
  }

  beforeEach(async () => {
    before = { is: 'never' };
    box = await packageSandbox(kind);
    repository = box.path('repository');
    mkdirSync(repository);
    if (kind === 'rpm') await box.sh(`rpm -i ${await shell(box.folder)}`);
    url = await serve();
    await box.sh(source(url));
    await offer(['1.0-1'], ['2.0-1']);
    await settle('package', pack({ version: '1.0-1' }));
    await box.sh(clean);
  });

  test('the previous version is archived, and can be restored when the cache is cleaned and the repository gone', async () => {
    const fetched = await settle(
      'package',
      pack({ version: '1.0-1', state: 'staged', optional: true, archive_to: KEPT }),
    );
    expect(fetched).toEqual([
      expect.stringMatching(/^rb-probe 1\.0-1 fetched.*; archived in/),
      `rb-probe 1.0-1 → ${KEPT}`,
    ]);
    expect(await box.sh(`cd ${KEPT} && sha256sum -c *.sha256`)).toMatch(/^rb-probe[-_]1\.0-1.*: OK\n$/);
    await settle('package', pack({ version: '2.0-1' }));
    await box.sh(clean);
    rmSync(repository, { recursive: true });
    const back = { version: '1.0-1', archive_from: KEPT };
    expect(await decide('package', pack({ ...back, state: 'staged' }))).toMatchObject({ is: 'ok' });
    await settle('package', pack({ ...back, allow_downgrade: true }));
    expect(await box.sh(version)).toBe('1.0-1');
    expect(await box.sh('cat /opt/rb-probe')).toBe('1.0-1\n');

    await box.sh(`for f in ${KEPT}/*.deb ${KEPT}/*.rpm; do echo x >>"$f"; done`);
    expect(await decide('package', pack({ ...back, state: 'staged' }))).toMatchObject({
      is: 'blocked',
      reason: expect.stringMatching(/its hash differs/),
    });
  });

  test("an operator's hold outlives an upgrade and a downgrade, at each moment between the effects", async () => {
    await box.sh(hold);
    for (const args of [{ version: '2.0-1' }, { version: '1.0-1', allow_downgrade: true }]) {
      const verdict = await decide('package', pack(args));
      if (verdict.is !== 'change') throw new Error(JSON.stringify(verdict));
      for (const action of verdict.change.actions) {
        expect(await perform(action)).toMatchObject({ exit: 0 });
        expect(await box.sh(holds)).toContain(NAME);
      }
      expect([await box.sh(version), await box.sh(holds)]).toEqual([args.version, heldAs(args.version)]);
      expect(await decide('package', pack(args))).toMatchObject({ is: 'ok' });
    }
  });

  test('and an upgrade whose script fails', async () => {
    await offer(['3.0-1', { postinst: 'exit 3' }]);
    await box.sh(hold);
    const verdict = await decide('package', pack({ version: '3.0-1' }));
    if (verdict.is !== 'change') throw new Error(JSON.stringify(verdict));
    expect(await carryOut('package', pack({ version: '3.0-1' }), verdict.change)).toMatchObject({
      reason: expect.stringMatching(/script.* ended with status 3/),
    });
    expect(await box.sh(holds)).toContain(NAME);
  });

  // The scripts of an rpm's end run when everything else of its transaction is over.
  test.each(kind === 'deb' ? ['preinst', 'postrm', 'postinst'] : ['preinst'])(
    'a package manager that was killed in the %s script is followed by one that completes the upgrade, and holds what was held',
    async (script) => {
      // dpkg runs the old package's postrm while the new files are half installed, and the new postinst when they are all there.
      const apt = kind === 'deb' ? "$(awk '/^PPid/ { print $2 }' /proc/$PPID/status)" : '';
      const killed = { [script]: `if [ -e /opt/rb-kill ]; then rm /opt/rb-kill; kill -KILL ${apt} $PPID; fi` };
      await offer(['1.0-1'], ['1.5-1', killed], ['2.0-1', killed]);
      await settle('package', pack({ version: '1.5-1' }));
      await box.sh(`${hold}; touch /opt/rb-kill`);
      const verdict = await decide('package', pack({ version: '2.0-1' }));
      if (verdict.is !== 'change') throw new Error(JSON.stringify(verdict));
      const marks = await ask(verdict.change.marks ?? {});
      expect(await perform(verdict.change.actions[0])).not.toMatchObject({ exit: 0 });
      before = { is: 'unknown', marks };
      expect(await decide('package', pack({ version: '2.0-1' }))).toMatchObject({ is: 'change' });
      await settle('package', pack({ version: '2.0-1' }));
      expect([await box.sh(version), await box.sh(holds)]).toEqual(['2.0-1', heldAs('2.0-1')]);
    },
  );

  if (kind === 'deb') {
    test.each([
      ['upgrade again', { version: '2.0-1', hold: true }],
      ['rollback', { version: '1.0-1', hold: true, allow_downgrade: true }],
    ])('a dpkg that was killed at any of its renames is followed by the %s, which succeeds', async (_, wanted) => {
      const left = new Set<string>();
      for (let rename = 1; ; rename += 1) {
        await settle('package', pack({ version: '1.0-1', hold: true, allow_downgrade: true }));
        const killed = `strace -qq -o /dev/null -e inject=rename:signal=KILL:when=${rename}`;
        const out = await box.sh(`${killed} dpkg --unpack ${repository}/${NAME}_2.0-1_all.deb; echo "exit $?"`);
        left.add((await box.sh(`dpkg-query -W -f '\${db:Status-Abbrev}\${Version}' ${NAME}`)).slice(1));
        await settle('package', pack(wanted));
        expect([await box.sh(version), await box.sh(holds)]).toEqual([wanted.version, heldAs(wanted.version)]);
        expect(await box.sh('dpkg --audit; cat /opt/rb-probe')).toBe(`${wanted.version}\n`);
        if (out.endsWith('exit 0\n')) break;
      }
      // Each state in which dpkg leaves a package: the flag R says that it must be unpacked once more.
      expect([...left].sort()).toEqual(['FR1.0-1', 'HR1.0-1', 'U 2.0-1', 'UR1.0-1', 'UR2.0-1', 'i 1.0-1']);
    });

    test('the rollback from a version whose script fails', async () => {
      await offer(['1.0-1'], ['3.0-1', { postinst: 'exit 3' }]);
      await box.sh(`apt-get -y install ${NAME}=3.0-1`);
      await settle('package', pack({ version: '1.0-1', allow_downgrade: true }));
      expect(await box.sh(version)).toBe('1.0-1');
    });
  }

  test('what a disabled repository offers is asked of it alone; nothing is enabled, and nothing stays on the host', async () => {
    await box.sh(`${disable}; ${clean}`);
    const left = `cat ${file}; ls -d /tmp/*/parts`;
    const leftBefore = await box.sh(left);
    const offered = (wanted: string): Promise<Verdict> =>
      decide('package', pack({ version: wanted, state: 'available', repository: { paths: [file], url } }));
    expect(await decide('package', pack({ version: '2.0-1', state: 'available' }))).toMatchObject({ is: 'blocked' });
    expect(await offered('2.0-1')).toMatchObject({ is: 'ok' });
    expect(await offered('9.0-1')).toMatchObject({
      is: 'blocked',
      reason: `no enabled repository offers rb-probe 9.0-1, and the one that is disabled in ${file} neither (it offers 2.0-1, 1.0-1)`,
    });
    server.closeAllConnections();
    server.close();
    await expect(offered('2.0-1')).rejects.toThrow(`what the repository in ${file} offers could not be read`);
    expect(await box.sh(left)).toBe(leftBefore);
  });

  test('a hold is set and removed', async () => {
    await settle('package-hold', held);
    expect(await box.sh(holds)).toBe(heldAs('1.0-1'));
    await settle('package-hold', { ...held, state: 'free' });
    expect(await box.sh(holds)).toBe('');
  });

  test('while another transaction goes on it is waited for, by the package manager or by trying again', async () => {
    const [began, go] = [box.path('began'), box.path('go')];
    execFileSync('mkfifo', [began, go]);
    await offer(['1.0-1'], ['2.0-1', { postinst: `echo now >${began}; read _ <${go}` }]);
    const other = box.start(kind === 'deb' ? `apt-get -y install ${NAME}=2.0-1` : `dnf -y install ${NAME}-2.0-1`);
    let begun = false;
    const ended = new Promise<void>((resolve) => {
      other.once('close', () => {
        resolve();
        if (!begun) void writeFile(began, 'it ended without its script\n');
      });
    });
    // The script is in the middle of its transaction once this can be read.
    expect(await readFile(began, 'utf8')).toBe('now\n');
    begun = true;
    const verdict = await decide('package-hold', held);
    if (verdict.is !== 'change') throw new Error(JSON.stringify(verdict));
    const trying = carryOut('package-hold', held, verdict.change);
    if (kind === 'deb')
      expect(await trying).toMatchObject({
        reason: expect.stringMatching(/^another process holds the package lock: \d+$/),
        retryAfterMs: 15_000,
      });
    await writeFile(go, 'on\n');
    await ended;
    if (kind === 'rpm') expect(await trying).toBeUndefined();
    await settle('package-hold', held);
    expect(await box.sh(holds)).toContain(NAME);
  });
});
