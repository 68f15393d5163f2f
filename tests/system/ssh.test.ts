import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { file } from '../../engine/facts/file.js';
import { probe, system } from '../../engine/facts/host.js';
import { defined } from '../../engine/lib/defined.js';
import { sha256 } from '../../engine/lib/hash.js';
import { platform } from '../../engine/cli/platforms.js';
import { createFleet } from '../../engine/machines/fleet.js';
import { createSecrets } from '../../engine/machines/secrets.js';
import type { Action, Outcome } from '../../engine/terms/action.js';
import { need, refKey, type Answer, type Need } from '../../engine/terms/fact.js';
import type { Host, SshSettings } from '../../engine/terms/inventory.js';
import type { HostLease } from '../../engine/terms/machine.js';
import { startProxy, type Proxy } from '../bench/proxy.js';
import { createPeople, installNeeded, removePeople, type Person } from './people.js';
import { startSshd, type Sshd } from './sshd.js';

const people: readonly Person[] = [
  {
    name: 'rb-csh',
    shell: '/bin/csh',
    rc: { '.cshrc': 'echo "Welcome to csh!"\nset prompt="%"\n' },
    sudo: 'ALL=(ALL) NOPASSWD: ALL',
  },
  {
    name: 'rb-noisy',
    shell: '/bin/bash',
    rc: {
      '.bashrc':
        'echo Willkommen; echo Fehler >&2; umask 077; export LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8 CDPATH=/usr; alias ls=false; cd() { false; }\n',
    },
    sudo: 'ALL=(ALL) NOPASSWD: ALL',
  },
  { name: 'rb-sudo', shell: '/bin/sh', password: 'open sesame', sudo: 'ALL=(ALL) ALL' },
  { name: 'rb-plain', shell: '/bin/sh', password: 'plain words' },
  { name: 'rb-nologin', shell: '/usr/sbin/nologin' },
];

jest.setTimeout(300_000);

let sshd: Sshd;
const fleets: { close(): Promise<void> }[] = [];
const asked: string[] = [];

/** A host's ssh settings over the test's own; undefined takes one of those away. */
type Setting = { readonly [K in keyof SshSettings]?: SshSettings[K] | undefined } & { readonly address?: string };

/** A fleet of ssh hosts, by their settings; the operator answers every question with `answer`. */
async function fleetOf(
  hosts: Readonly<Record<string, Setting>>,
  more: { answer?: string; env?: Record<string, string>; cacheDir?: string } = {},
) {
  const base: SshSettings = { user: 'root', port: sshd.port, keyFile: sshd.keyFile, knownHosts: sshd.knownHosts };
  const ask = (question: string): Promise<string> => {
    asked.push(question);
    return more.answer === undefined ? Promise.reject(new Error('no terminal')) : Promise.resolve(more.answer);
  };
  const all = Object.entries(hosts).map(([name, { address = '127.0.0.1', ...ssh }]): Host => {
    const settings = Object.fromEntries(
      Object.entries({ ...base, ...ssh }).filter(([, v]) => v !== undefined),
    ) as SshSettings;
    return { name, address, roles: [], groups: [], vars: {}, machine: 'ssh', ssh: settings };
  });
  const inventory = { files: [], platform: {}, names: {}, endpoints: {}, secrets: {}, hosts: all, vars: {} };
  const secrets = createSecrets({ sources: {}, env: {}, ask });
  const fleet = await createFleet({
    inventory,
    secrets,
    ask,
    cacheDir: join(sshd.folder, 'cache'),
    env: more.env ?? {},
    hostFacts: platform.hostFacts ?? [],
    endpointFacts: platform.endpointFacts,
    tokens: platform.tokens,
    openSimulator: () => Promise.reject(new Error('no inventory here names a model')),
  });
  fleets.push(fleet);
  return {
    fleet,
    async ask(...needs: Need[]): Promise<readonly (Answer | undefined)[]> {
      const answers = await fleet.reader.ask(needs);
      return needs.map((n) => answers.get(refKey(n)));
    },
    perform: (action: Action, host = 'h', lease?: HostLease): Promise<Outcome> =>
      fleet.actor.perform({ host }, action, { id: 'run/task/1/0', ...defined({ lease }) }),
  };
}
const hello = async (setting: Setting, more = {}): Promise<Answer | undefined> => {
  const [answer] = await (
    await fleetOf({ h: setting }, more)
  ).ask(need({ host: 'h' }, probe, { argv: ['sh', '-c', 'id -un; umask; echo "$LC_ALL"; pwd'] }));
  return answer;
};
const helloFrom = (user: string): object => ({ is: 'value', value: { exit: 0, stdout: `${user}\n0022\nC\n/\n` } });
const run = (argv: readonly [string, ...string[]], more: object = {}): Action => ({
  do: 'run',
  command: { argv, timeoutMs: 20_000, ...more },
  expect: { exit: [0] },
});

beforeAll(async () => {
  installNeeded();
  execFileSync('localedef', ['-i', 'de_DE', '-f', 'UTF-8', 'de_DE.UTF-8']);
  sshd = await startSshd([
    'UsePAM yes',
    'KbdInteractiveAuthentication yes',
    'PasswordAuthentication yes',
    'MaxAuthTries 6',
    'PermitUserEnvironment no',
  ]);
  createPeople(people, join(sshd.folder, 'home'));
  writeFileSync(join(sshd.folder, 'secret'), 'for root alone\n', { mode: 0o600 });
});
afterEach(async () => {
  for (const fleet of fleets.splice(0)) await fleet.close();
  asked.length = 0;
});
afterAll(async () => {
  removePeople(people);
  await sshd.stop();
});

describe('hosts as they are found', () => {
  test.each(['root', 'rb-csh', 'rb-noisy', 'rb-sudo'])('%s', async (user) => {
    expect(await hello({ user })).toEqual(helloFrom(user));
  });
  test.each(['rb-csh', 'rb-noisy'])('%s, who becomes root', async (user) => {
    const of = await fleetOf({ h: { user, become: 'sudo' } });
    expect(await of.ask(need({ host: 'h' }, probe, { argv: ['id', '-un'] }))).toMatchObject([
      { value: { stdout: 'root\n' } },
    ]);
    expect(await of.perform(run(['cat'], { stdin: 'line\n' }))).toEqual({
      is: 'ended',
      exit: 0,
      stdout: 'line\n',
      stderr: '',
    });
    expect(await of.perform(run(['id', '-un'], { become: 'rb-plain' }))).toMatchObject({ stdout: 'rb-plain\n' });
    const path = join(sshd.folder, `by-${user}`);
    expect(
      await of.perform({ do: 'write', path, content: 'x\n', replaces: 'nothing', owner: 'rb-plain', mode: '0600' }),
    ).toEqual({ is: 'applied' });
    expect((await of.ask(need({ host: 'h' }, file, path)))[0]).toMatchObject({
      value: { owner: 'rb-plain', mode: '0600' },
    });
  });
  test('a command of another user compares the lease, which that user may not read, and leaves the marker', async () => {
    const of = await fleetOf({ h: { user: 'rb-csh', become: 'sudo' } });
    const folder = join(sshd.folder, 'leases');
    mkdirSync(folder, { mode: 0o700 });
    const lease = { file: join(folder, 'lease'), text: 'ours', marker: 'after record 7' };
    const touch = run(['touch', '/tmp/rb-other'], { become: 'rb-plain' });
    writeFileSync(lease.file, 'of another controller\n');
    expect(await of.perform(touch, 'h', lease)).toMatchObject({ is: 'refused', by: 'fence' });
    expect([existsSync('/tmp/rb-other'), existsSync(`${lease.file}.journal`)]).toEqual([false, false]);
    writeFileSync(lease.file, 'ours\n');
    expect(await of.perform(touch, 'h', lease)).toMatchObject({ is: 'ended', exit: 0 });
    expect([existsSync('/tmp/rb-other'), readFileSync(`${lease.file}.journal`, 'utf8')]).toEqual([
      true,
      'after record 7\n',
    ]);
    rmSync('/tmp/rb-other');
  });
  test('a user whose shell is nologin is refused', async () => {
    expect(await hello({ user: 'rb-nologin' })).toMatchObject({
      is: 'failed',
      why: 'no-access',
      reason: expect.stringContaining('not available'),
    });
  });
});

describe('who may log in', () => {
  const noKey = { keyFile: undefined };
  const home = { env: {} };
  test('by password, told or asked for', async () => {
    expect(await hello({ user: 'rb-plain', password: 'plain words', ...noKey }, home)).toEqual(helloFrom('rb-plain'));
    const asking = await startSshd(['UsePAM yes', 'PasswordAuthentication no', 'KbdInteractiveAuthentication yes']);
    try {
      expect(
        await hello(
          { user: 'rb-plain', password: 'plain words', ...noKey, port: asking.port, knownHosts: asking.knownHosts },
          home,
        ),
      ).toEqual(helloFrom('rb-plain'));
    } finally {
      await asking.stop();
    }
  });
  test('a wrong password, an unknown user, a key that is none', async () => {
    const refused = (reason: string): object => ({
      is: 'failed',
      why: 'no-access',
      reason: expect.stringContaining(reason),
    });
    expect(await hello({ user: 'rb-plain', password: 'wrong words', ...noKey }, home)).toMatchObject(
      refused('tried the password'),
    );
    expect(await hello({ user: 'rb-nosuch' })).toMatchObject(refused('rb-nosuch may not log in'));
    expect(await hello({ keyFile: '/nonesuch' })).toMatchObject(refused('key /nonesuch cannot be read (ENOENT)'));
    expect(await hello({ keyFile: sshd.knownHosts })).toMatchObject(refused('cannot be used'));
  });
  test('a key with a passphrase, asked for once for all hosts', async () => {
    const keyFile = join(sshd.folder, 'locked');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'pass phrase', '-f', keyFile]);
    writeFileSync(
      join(sshd.folder, 'authorized'),
      `${readFileSync(`${sshd.keyFile}.pub`, 'utf8')}${readFileSync(`${keyFile}.pub`, 'utf8')}`,
    );
    const of = await fleetOf({ a: { keyFile }, b: { keyFile }, c: { keyFile } }, { answer: 'pass phrase' });
    const answers = await of.ask(...['a', 'b', 'c'].map((host) => need({ host }, system, undefined)));
    expect([answers.map((a) => a?.is), asked]).toEqual([['value', 'value', 'value'], [`Passphrase of ${keyFile}: `]]);
    expect(await hello({ keyFile, passphrase: 'pass phrase' })).toEqual(helloFrom('root'));
    expect(await hello({ keyFile, passphrase: 'wrong' })).toMatchObject({
      why: 'no-access',
      reason: expect.stringContaining('passphrase of key'),
    });
    expect(await hello({ keyFile })).toMatchObject({
      why: 'no-access',
      reason: expect.stringContaining('no terminal'),
    });
    const socket = join(sshd.folder, 'agent');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(agent.stdout, 'data');
    execFileSync('ssh-add', ['-q', sshd.keyFile], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
    expect(await hello({ ...noKey }, { env: { SSH_AUTH_SOCK: socket } })).toEqual(helloFrom('root'));
    agent.kill();
    await once(agent, 'exit');
  });
  test('as ~/.ssh/config says, through ssh -G', async () => {
    const config = join(sshd.folder, 'ssh_config');
    writeFileSync(
      config,
      `Host web\n  HostName 127.0.0.1\n  Port ${sshd.port}\n  User rb-csh\n  IdentityFile ${sshd.keyFile}\n  UserKnownHostsFile ${sshd.knownHosts}\n`,
    );
    const none = undefined;
    expect(
      await hello({
        address: 'web',
        config,
        user: none,
        port: none,
        keyFile: none,
        knownHosts: none,
      }),
    ).toEqual(helloFrom('rb-csh'));
    writeFileSync(config, 'Host web\n  Prot 22\n');
    expect(await hello({ address: 'web', config })).toMatchObject({
      is: 'failed',
      reason: expect.stringContaining('Bad configuration option'),
    });
  });
});

describe('host keys', () => {
  const known = (text: string): string => {
    const path = join(sshd.folder, 'known');
    writeFileSync(path, text);
    return path;
  };
  const name = (): string => `[127.0.0.1]:${sshd.port}`;
  test.each(['rsa', 'ecdsa', 'ed25519'] as const)('one known key is enough, also when it is %s', async (type) => {
    expect(await hello({ knownHosts: known(`${name()} ${sshd.hostKey(type)}\n`) })).toEqual(helloFrom('root'));
  });
  test('hashed names', async () => {
    const path = known(`${name()} ${sshd.hostKey('rsa')}\n`);
    execFileSync('ssh-keygen', ['-q', '-H', '-f', path], { stdio: 'ignore' });
    expect(readFileSync(path, 'utf8')).toMatch(/^\|1\|/);
    expect(await hello({ knownHosts: path })).toEqual(helloFrom('root'));
  });
  test('an unknown one is refused with the line that makes it known', async () => {
    const refused = await hello({ knownHosts: known('') });
    expect(refused).toMatchObject({ is: 'failed', why: 'no-access', reason: expect.stringContaining('is not known') });
    const line = /(\[127.*)$/.exec((refused as { hint: string }).hint)?.[1] ?? '';
    expect(await hello({ knownHosts: known(`${line}\n`) })).toEqual(helloFrom('root'));
  });
  test('a changed, a revoked, and one known by its authority alone', async () => {
    const other = readFileSync(`${sshd.keyFile}.pub`, 'utf8');
    const refused = (reason: string): object => ({
      is: 'failed',
      why: 'no-access',
      reason: expect.stringContaining(reason),
    });
    expect(await hello({ knownHosts: known(`${name()} ${other}`) })).toMatchObject(refused('is not the known one'));
    expect(
      await hello({ knownHosts: known(`${name()} ${sshd.hostKey('rsa')}\n@revoked * ${sshd.hostKey('rsa')}\n`) }),
    ).toMatchObject(refused('is revoked'));
    expect(await hello({ knownHosts: known(`@cert-authority * ${other}`) })).toMatchObject(
      refused('certificate authority'),
    );
    expect(sshd.log()).not.toMatch(/Accepted .* for root .*\n.*Accepted .* for root .*known/);
  });
});

describe('sudo', () => {
  const become = (setting: Setting, more = {}) => hello({ become: 'sudo', ...setting }, more);
  test('with a password, which no command line shows', async () => {
    expect(await become({ user: 'rb-sudo', becomePassword: 'open sesame' })).toEqual(helloFrom('root'));
    const of = await fleetOf({ h: { user: 'rb-sudo', become: 'sudo', becomePassword: 'open sesame' } });
    expect(
      await of.perform(
        run(['sh', '-c', 'cat; cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -c "open [s]esame"'], {
          stdin: 'payload\n',
        }),
      ),
    ).toMatchObject({ exit: 1, stdout: 'payload\n0\n' });
  });
  test('a wrong password, none, no right, and a user that is not there', async () => {
    const told = (reason: string, hint: string): object => ({ is: 'failed', why: 'no-access', reason, hint });
    expect(await become({ user: 'rb-sudo', becomePassword: 'wrong' })).toEqual(
      told('sudo does not take the password of rb-sudo', 'check ssh.become_password'),
    );
    expect(await become({ user: 'rb-sudo' })).toEqual(
      told('sudo wants a password of rb-sudo', 'give ssh.become_password, or a NOPASSWD rule'),
    );
    expect(await become({ user: 'rb-plain', becomePassword: 'plain words' })).toMatchObject({
      why: 'no-access',
      reason: 'rb-plain may not become root by sudo',
    });
    expect(await become({ user: 'rb-csh', becomeUser: 'rb-nosuch' })).toMatchObject({
      why: 'no-access',
      reason: 'there is no user rb-nosuch',
    });
  });
});

describe('files', () => {
  test('ACLs, owners and modes stay', async () => {
    const path = join(sshd.folder, 'acl');
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    chownSync(path, statSync(join(sshd.folder, 'home/rb-plain')).uid, 0);
    execFileSync('setfacl', ['-m', 'u:rb-csh:r', path]);
    const acl = (): string => execFileSync('getfacl', ['-p', path], { encoding: 'utf8' });
    const before = acl();
    const of = await fleetOf({ h: { user: 'rb-noisy', become: 'sudo' } });
    expect(await of.perform({ do: 'write', path, content: 'new', replaces: sha256('old') })).toEqual({ is: 'applied' });
    expect([readFileSync(path, 'utf8'), acl()]).toEqual(['new', before]);
    expect(before).toContain('user:rb-csh:r--');
  });
  test('a full disk is reported as full, and nothing is left there', async () => {
    const small = join(sshd.folder, 'small');
    mkdirSync(small);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', small]);
    try {
      const of = await fleetOf({ h: {} });
      const full = {
        is: 'refused',
        by: 'machine',
        found: expect.stringContaining('No space left'),
        hint: expect.stringContaining('full'),
      };
      const big = 'x'.repeat(400_000);
      const source = join(sshd.folder, 'big');
      writeFileSync(source, big);
      expect(
        await of.perform({ do: 'write', path: join(small, 'a'), content: big, replaces: 'nothing' }),
      ).toMatchObject(full);
      expect(await of.perform({ do: 'upload', path: join(small, 'a'), source, sha256: sha256(big) })).toMatchObject(
        full,
      );
      expect(await of.perform({ do: 'copy', from: source, to: join(small, 'a') })).toMatchObject(full);
      expect(execFileSync('ls', ['-A', small], { encoding: 'utf8' })).toBe('');
      expect(await of.perform({ do: 'write', path: join(small, 'a'), content: 'fits', replaces: 'nothing' })).toEqual({
        is: 'applied',
      });
    } finally {
      execFileSync('umount', [small]);
    }
  });
  test('upload: by SFTP, as another user, and where sshd has no SFTP', async () => {
    const bytes = Buffer.from(Array.from({ length: 5_000_000 }, (_, i) => (i * 31) % 256));
    const source = join(sshd.folder, 'large');
    writeFileSync(source, bytes);
    const bare = await startSshd(['Subsystem sftp /nonesuch']);
    try {
      const of = await fleetOf({
        h: {},
        sudo: { user: 'rb-csh', become: 'sudo' },
        other: { user: 'rb-csh', become: 'sudo', becomeUser: 'rb-plain' },
        bare: { port: bare.port, knownHosts: bare.knownHosts, keyFile: bare.keyFile },
      });
      for (const host of ['h', 'sudo', 'other', 'bare']) {
        const path = join(sshd.folder, host === 'other' ? 'home/rb-plain/up' : `up-${host}`);
        expect(await of.perform({ do: 'upload', source, path, sha256: sha256(bytes), mode: '0644' }, host)).toEqual({
          is: 'applied',
        });
        expect(sha256(readFileSync(path))).toBe(sha256(bytes));
        rmSync(path);
      }
      expect(execFileSync('sh', ['-c', 'ls -d /tmp/runbook-upload-* 2>/dev/null || true'], { encoding: 'utf8' })).toBe(
        '',
      );
    } finally {
      await bare.stop();
    }
  });

  test('3 MB arrive where sshd opens one session for a connection', async () => {
    const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => (i * 31) % 256));
    const narrow = await startSshd(['MaxSessions 1']);
    try {
      const source = join(narrow.folder, 'large');
      writeFileSync(source, bytes);
      const setting = { port: narrow.port, knownHosts: narrow.knownHosts, keyFile: narrow.keyFile };
      const of = await fleetOf({ h: setting, sudo: { ...setting, user: 'rb-csh', become: 'sudo' } });
      for (const host of ['h', 'sudo']) {
        const path = join(narrow.folder, `up-${host}`);
        expect(await of.perform({ do: 'upload', source, path, sha256: sha256(bytes), mode: '0644' }, host)).toEqual({
          is: 'applied',
        });
        expect(sha256(readFileSync(path))).toBe(sha256(bytes));
        const content = 'x'.repeat(100_000);
        expect(await of.perform({ do: 'write', path, content, replaces: sha256(bytes) }, host)).toMatchObject({
          is: 'applied',
        });
      }
    } finally {
      await narrow.stop();
    }
  });
});

describe('the way there', () => {
  let proxy: Proxy;
  afterEach(() => proxy.close());
  const known = (port: number): string => {
    const path = join(sshd.folder, `known-${port}`);
    writeFileSync(path, `[127.0.0.1]:${port} ${sshd.hostKey('ed25519')}\n`);
    return path;
  };

  test('forty at once, though sshd takes ten handshakes at most', async () => {
    const strict = await startSshd(['MaxStartups 10:100:10']);
    proxy = await startProxy({ to: { address: '127.0.0.1', port: strict.port }, delayMs: 10 });
    const knownHosts = join(strict.folder, 'known');
    writeFileSync(knownHosts, `[127.0.0.1]:${proxy.port} ${strict.hostKey('ed25519')}\n`);
    try {
      const setting = { port: proxy.port, knownHosts, keyFile: strict.keyFile };
      const of = await fleetOf(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`h${i}`, setting])));
      const answers = await of.ask(...Array.from({ length: 40 }, (_, i) => need({ host: `h${i}` }, system, undefined)));
      expect(answers.map((a) => (a?.is === 'failed' ? a.reason : a?.is)).filter((a) => a !== 'value')).toEqual([]);
      expect([proxy.connections.total, strict.log().match(/drop connection|beginning MaxStartups/)]).toEqual([
        40,
        null,
      ]);
      for (const fleet of fleets.splice(0)) await fleet.close();
    } finally {
      await strict.stop();
    }
  });

  test('a batch of facts costs one round trip, whatever it asks', async () => {
    proxy = await startProxy({ to: { address: '127.0.0.1', port: sshd.port }, delayMs: 20 });
    const of = await fleetOf({ h: { port: proxy.port, knownHosts: known(proxy.port) } });
    const batch = (i: number): Need[] => [
      need({ host: 'h' }, system, undefined),
      ...Array.from({ length: 10 }, (_, n) => need({ host: 'h' }, file, `/etc/hosts${i}${n}`)),
    ];
    await of.ask(...batch(0));
    const before = proxy.trips;
    for (let i = 0; i < 10; i += 1) await of.ask(...batch(i));
    // ssh itself speaks now and then, to let more through; a second round trip each would make it 20.
    expect(proxy.trips - before).toBeGreaterThanOrEqual(10);
    expect(proxy.trips - before).toBeLessThan(18);
    expect(proxy.connections.total).toBe(1);
  });

  test('a cut connection: a question is asked again, an action is unknown, and the next one goes on', async () => {
    proxy = await startProxy({ to: { address: '127.0.0.1', port: sshd.port }, delayMs: 1 });
    const of = await fleetOf({ h: { port: proxy.port, knownHosts: known(proxy.port) } });
    expect((await of.ask(need({ host: 'h' }, system, undefined)))[0]?.is).toBe('value');
    const flag = join(sshd.folder, 'flag');
    execFileSync('mkfifo', [flag]);
    const acting = of.perform(run(['sh', '-c', `echo begun >${flag}; sleep 5`]));
    const asking = of.ask(need({ host: 'h' }, probe, { argv: ['echo', 'again'] }));
    await readFile(flag);
    proxy.cut();
    expect(await acting).toMatchObject({ is: 'unknown', why: 'connection' });
    expect(await asking).toEqual([{ is: 'value', value: { exit: 0, stdout: 'again\n' } }]);
    expect(await of.perform(run(['echo', 'on']))).toMatchObject({ stdout: 'on\n' });
    expect(proxy.connections.total).toBe(2);
  });

  test('jump hosts are shared, also two in a row', async () => {
    proxy = await startProxy({ to: { address: '127.0.0.1', port: sshd.port }, delayMs: 1 });
    const knownHosts = join(sshd.folder, 'known-both');
    writeFileSync(
      knownHosts,
      `[127.0.0.1]:${proxy.port} ${sshd.hostKey('rsa')}\n${readFileSync(sshd.knownHosts, 'utf8')}`,
    );
    const jump = [`rb-csh@127.0.0.1:${proxy.port}`, `rb-noisy@127.0.0.1:${sshd.port}`];
    const of = await fleetOf(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`h${i}`, { jump, knownHosts }])));
    const answers = await of.ask(...Array.from({ length: 12 }, (_, i) => need({ host: `h${i}` }, system, undefined)));
    expect(answers.map((a) => (a?.is === 'failed' ? a.reason : a?.is)).filter((a) => a !== 'value')).toEqual([]);
    expect(proxy.connections.total).toBe(1);
    const bad = await fleetOf({ h: { jump: ['rb-csh@127.0.0.1:1'], knownHosts } });
    expect((await bad.ask(need({ host: 'h' }, system, undefined)))[0]).toMatchObject({
      why: 'unreachable',
      reason: 'jump host: 127.0.0.1:1 refuses connections',
    });
  });
});
