import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { caFile } from '../lab/certificates.js';
import { rootOf } from '../lab/disk.js';
import { overridesFile } from '../lab/build/repository.js';
import { onHost, secretFile } from '../lab/ssh.js';
import { packagesOn } from './support/platform.js';
import { createBench, target, type Bench } from './support/bench.js';
import { serveExpired, type Expired } from './support/expired.js';
import { anyLab } from './support/lab.js';
import { offer, withdraw } from './support/probe-package.js';
import type { Ran } from './support/runbook.js';

const on = (path: string): string => join(rootOf(target), path);
const INDEXER = 'url: https://10.231.77.11:9200, user: admin';

let bench: Bench;

beforeAll(async () => {
  await anyLab();
  bench = createBench();
  await onHost(
    target,
    `id rb-nosudo >/dev/null 2>&1 || useradd --create-home --shell /bin/sh rb-nosudo
install -d -m 0700 -o rb-nosudo -g rb-nosudo /home/rb-nosudo/.ssh
install -m 0600 -o rb-nosudo -g rb-nosudo /home/ops/.ssh/authorized_keys /home/rb-nosudo/.ssh/authorized_keys`,
  );
});

afterEach(() => {
  rmSync(on('srv/reached'), { force: true });
});

afterAll(async () => {
  await onHost(target, 'userdel --remove rb-nosudo 2>/dev/null || true');
  await withdraw(target);
  bench.dispose();
});

/** One clear message: said once, in a sentence or two, and no trace of a stack. */
function expectOne(ran: Ran, exit: number, message: RegExp): void {
  const said = `${ran.stdout}\n${ran.stderr}`;
  expect(`${ran.exit}: ${said}`).toMatch(new RegExp(`^${exit}: [^]*(?:${message.source})`, message.flags));
  expect(said).not.toMatch(/\n\s+at .*:\d+:\d+|internal error|UnhandledPromise/);
  expect(existsSync(on('srv/reached'))).toBe(false);
}

/** Has another process hold dpkg's lock for so many seconds; it is held when this returns. */
async function holdLock(seconds: number): Promise<void> {
  const program = `import fcntl, sys, time
lock = open('/var/lib/dpkg/lock-frontend', 'w')
fcntl.lockf(lock, fcntl.LOCK_EX)
open('/run/rb-held', 'w').close()
time.sleep(${seconds})`;
  writeFileSync(on('srv/hold.py'), program);
  await onHost(
    target,
    `rm -f /run/rb-held
systemd-run --quiet --collect python3 /srv/hold.py
timeout 10 sh -c 'until [ -e /run/rb-held ]; do :; done'
rm /srv/hold.py`,
  );
}

describe('a host that cannot be worked on', () => {
  test('one that does not answer', async () => {
    expectOne(
      await bench.apply('unit.yaml', { address: '10.231.77.99' }),
      4,
      /linux-1[^]*(10\.231\.77\.99|does not answer|no route)/i,
    );
  });

  test('one whose key is not known: the line to add is said', async () => {
    const key = readFileSync(on('etc/ssh/ssh_host_ed25519_key.pub'), 'utf8').split(' ')[1] ?? '';
    const ran = await bench.apply('unit.yaml', { knownHosts: bench.file('empty', '') });
    expectOne(ran, 3, /the host key of \S+ is not known/);
    expect(`${ran.stdout}${ran.stderr}`).toContain(`${target.address} ssh-ed25519 ${key}`);
  });

  test('one whose key is another than the known one', async () => {
    const other = 'AAAAC3NzaC1lZDI1NTE5AAAAIJ8b4Q0w2pO2pZ5n0mY0VJ6b2b0Jm2b1x5Yk3yqf2n1d';
    const ran = await bench.apply('unit.yaml', {
      knownHosts: bench.file('other', `${target.address} ssh-ed25519 ${other}\n`),
    });
    expectOne(ran, 3, /the host key of \S+ is not the known one/);
  });

  test('one on which the user may not use sudo', async () => {
    expectOne(await bench.apply('unit.yaml', { user: 'rb-nosudo' }), 3, /sudo wants a password of rb-nosudo/);
  });

  test('one whose sudo wants a password that is not given', async () => {
    expectOne(await bench.apply('unit.yaml', { user: 'opspw' }), 3, /sudo wants a password of opspw/);
  });

  test('one whose sudo does not take the password; it is not shown', async () => {
    const secrets = { sudo: bench.file('wrong', 'not-the-password\n') };
    const ran = await bench.apply('unit.yaml', { user: 'opspw', ssh: 'become_password: "{{secret.sudo}}"', secrets });
    expectOne(ran, 3, /sudo does not take the password of opspw/);
    expect(`${ran.stdout}${ran.stderr}`).not.toContain('not-the-password');
  });

  test('and with the right password the same user can be worked as', async () => {
    const ran = await bench.apply('unit.yaml', {
      user: 'opspw',
      ssh: 'become_password: "{{secret.sudo}}"',
      secrets: { sudo: secretFile('opspw') },
    });
    expectOne(ran, 3, /there is no unit rb-nonesuch/);
  });
});

describe('what is not there, or has no room', () => {
  test('a unit', async () => {
    expectOne(await bench.apply('unit.yaml'), 3, /there is no unit rb-nonesuch\.service/);
  });

  describe('room on the disk', () => {
    beforeEach(() => onHost(target, 'mkdir -p /srv/small && mount -t tmpfs -o size=64k tmpfs /srv/small'));
    afterEach(() => onHost(target, 'umount /srv/small && rmdir --ignore-fail-on-non-empty /srv/small'));

    test('for a file: the old one stays, and nothing is left beside it', async () => {
      await onHost(target, 'printf "old\\n" >/srv/small/data');
      expectOne(
        await bench.apply('file.yaml', { extraVars: { text: 'x'.repeat(200_000) } }),
        1,
        /no space|disk.*full/i,
      );
      expect(await onHost(target, 'cd /srv/small && ls -A && cat data')).toBe('data\nold\n');
    });

    test('for a package: it is not installed, nor half of it', async () => {
      await offer(target, '1.0-1', 200_000);
      expectOne(await bench.apply('package.yaml'), 1, /the disk is full/);
      expect(
        await onHost(target, 'ls -A /srv/small; dpkg-query -W -f "\\${db:Status-Abbrev}" rb-probe 2>/dev/null || true'),
      ).toMatch(/^(.n )?$/);
    });
  });

  test('a package, in a repository that is empty', async () => {
    await offer(target, undefined);
    expectOne(await bench.apply('package.yaml'), 1, /no enabled repository offers rb-probe/);
  });

  test('a version, in a repository that has another', async () => {
    await offer(target, '0.9-1');
    expectOne(await bench.apply('package.yaml'), 1, /no enabled repository offers rb-probe 1\.0-1/);
    expect(await onHost(target, 'dpkg-query -W -f "\\${db:Status-Abbrev}" rb-probe 2>/dev/null || true')).toMatch(
      /^(.n )?$/,
    );
  });

  test('a package lock that another holds for 20 s is waited for, and left to him', async () => {
    await offer(target, '1.0-1');
    const lock = on('var/lib/dpkg/lock-frontend');
    const before = statSync(lock).ino;
    await holdLock(20);
    const ran = await bench.apply('package.yaml');
    expect([ran.exit, ran.stdout]).toEqual([0, expect.stringContaining('done')]);
    expect(ran.tookMs).toBeGreaterThan(15_000);
    expect(ran.tookMs).toBeLessThan(60_000);
    expect(await onHost(target, 'dpkg-query -W -f "\\${db:Status-Abbrev}\\${Version}" rb-probe')).toBe('ii 1.0-1');
    expect(statSync(lock).ino).toBe(before);
  });
});

describe('an interface that does not do as it should', () => {
  let expired: Expired;
  beforeAll(async () => {
    expired = await serveExpired();
  });
  afterAll(() => expired.close());

  test('one that does not take the password; it is not shown', async () => {
    const secrets = { indexer: bench.file('indexer', 'wrong-password\n') };
    const ran = await bench.apply('endpoint.yaml', {
      endpoint: `${INDEXER}, password: "{{secret.indexer}}", ca: ${caFile()}`,
      secrets,
    });
    expectOne(ran, 3, /indexer.*(401|password)/);
    expect(`${ran.stdout}${ran.stderr}`).not.toContain('wrong-password');
  });

  test('one whose certificate expired: nothing is sent to it', async () => {
    const secrets = { indexer: secretFile('indexer') };
    const ran = await bench.apply('endpoint.yaml', {
      endpoint: `url: ${expired.url}, user: admin, password: "{{secret.indexer}}", ca: ${expired.ca}`,
      secrets,
    });
    expectOne(ran, 3, /certificate expired on 2020-01-02/);
    expect(expired.requests()).toBe(0);
  });

  test('a page instead of a template', async () => {
    writeFileSync(
      overridesFile(),
      JSON.stringify({ '/tags/v4.14.7/platform-template.json': { status: 200, body: '<html>404 Not Found</html>' } }),
    );
    try {
      expectOne(await bench.apply('download.yaml'), 3, /platform-template\.json: it is (a web page|no JSON)/);
      writeFileSync(
        overridesFile(),
        JSON.stringify({ '/tags/v4.14.7/platform-template.json': { status: 404, body: '<html>404 Not Found</html>' } }),
      );
      expectOne(await bench.apply('download.yaml'), 3, /platform-template\.json answers 404/);
    } finally {
      rmSync(overridesFile());
    }
    expect(existsSync(on('srv/template.json'))).toBe(false);
  });
});

test('the host is as it was', async () => {
  expect(Object.keys(await packagesOn(target))).toEqual(['platform-agent']);
});
