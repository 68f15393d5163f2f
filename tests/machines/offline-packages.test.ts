import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOfflinePackages } from '../../engine/machines/packages/offline-packages.js';
import { sha256 } from '../../engine/lib/hash.js';

/** Made by dpkg-deb with each of its compressions, and by rpmbuild. */
const made = new URL('packages/', import.meta.url).pathname;
/** Made by `dpkg-deb --uniform-compression -z9`, with 32 MiB of zeros as their list of hashes. */
const tooLarge = new URL('packages-too-large/', import.meta.url).pathname;
const root = mkdtempSync(join(tmpdir(), 'runbook-packages-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(root, 'folder-'));
  cpSync(made, folder, { recursive: true });
  list();
});
/** As `sha256sum *` writes it. */
const list = (): void => {
  const lines = readdirSync(folder).map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
};
const edit = (change: (sums: string) => string): void => {
  const path = join(folder, 'SHA256SUMS');
  writeFileSync(path, change(readFileSync(path, 'utf8')));
};

test('each package is who its own header says, whatever its file is called and however it is packed', async () => {
  const read = await readOfflinePackages(folder);
  const told = read.is === 'read' ? read.packages.map(({ sha256: _, ...p }) => Object.values(p).join(' ')) : [read];
  expect(told).toEqual([
    'gzip.deb deb platform-indexer 1:4.14.1-1 amd64',
    'none.deb deb platform-indexer 1:4.14.4-1 amd64',
    'plain.rpm rpm platform-agent 2:4.14.7-1.el9 noarch',
    'xz.deb deb platform-indexer 1:4.14.2-1 amd64',
    'zstd.deb deb platform-indexer 1:4.14.3-1 amd64',
  ]);
});

describe('a folder that cannot be trusted is reported in one message', () => {
  test.each<readonly [string, () => void, RegExp]>([
    [
      'not there',
      () => {
        rmSync(folder, { recursive: true });
      },
      /^there is no folder \S+ of offline packages$/,
    ],
    [
      'without hashes',
      () => {
        rmSync(join(folder, 'SHA256SUMS'));
      },
      /has no SHA256SUMS$/,
    ],
    [
      'with hashes that have no end',
      () => {
        rmSync(join(folder, 'SHA256SUMS'));
        symlinkSync('/dev/zero', join(folder, 'SHA256SUMS'));
      },
      /SHA256SUMS is a device$/,
    ],
    [
      'with a line that is none',
      () => {
        edit((sums) => `${sums}xz.deb\n`);
      },
      /SHA256SUMS:6 is no line as sha256sum writes it$/,
    ],
    [
      'with a package that is not listed',
      () => {
        edit((sums) => sums.replace(/^.*xz\.deb\n/m, ''));
      },
      /: xz\.deb is not listed in SHA256SUMS$/,
    ],
    [
      'with a file that came in part',
      () => {
        writeFileSync(join(folder, 'xz.deb'), readFileSync(join(folder, 'xz.deb')).subarray(0, 300));
      },
      /: xz\.deb has the SHA-256 [0-9a-f]{64}, and SHA256SUMS says [0-9a-f]{64}$/,
    ],
    [
      'with files that are no packages, and one that ends in its header: all at once',
      () => {
        writeFileSync(join(folder, 'page.deb'), '<html>404</html>');
        writeFileSync(join(folder, 'page.rpm'), '<html>404</html>');
        // A member of a negative size, which leads back to itself.
        writeFileSync(join(folder, 'loop.deb'), `!<arch>\n${'x'.padEnd(48)}${'-60'.padEnd(10)}\`\n`);
        writeFileSync(join(folder, 'cut.rpm'), readFileSync(join(folder, 'plain.rpm')).subarray(0, 700));
        list();
      },
      /: cut\.rpm is no RPM; loop\.deb is no DEB; page\.deb is no DEB; page\.rpm is no RPM$/,
    ],
    [
      'with two files of one package',
      () => {
        cpSync(join(folder, 'xz.deb'), join(folder, 'again.deb'));
        list();
      },
      /: again\.deb and xz\.deb are both platform-indexer 1:4\.14\.2-1 \(amd64\)$/,
    ],
  ])('%s', async (_, spoil, reason) => {
    spoil();
    const read = await readOfflinePackages(folder);
    expect(read).toMatchObject({ is: 'failed', reason: expect.stringMatching(reason) as unknown });
  });
});

describe('a package whose control archive takes more than 32 MiB is refused, with the limit', () => {
  const spoiled = async (name: string, spoil: (path: string) => void) => {
    spoil(join(folder, name));
    list();
    const read = await readOfflinePackages(folder);
    const reason = `${folder}: ${name} cannot be read: its control archive takes more than 32 MiB`;
    expect(read).toMatchObject({ is: 'failed', reason });
  };

  test.each(['gzip.deb', 'xz.deb', 'zstd.deb'])('once it is unpacked: %s', (name) =>
    spoiled(name, (path) => {
      cpSync(join(tooLarge, name), path);
    }),
  );

  test('as it is: none.deb', () =>
    spoiled('none.deb', (path) => {
      const size = 32 * 1024 * 1024 + 512;
      writeFileSync(path, `!<arch>\n${'control.tar'.padEnd(48)}${String(size).padEnd(10)}\`\n`);
      truncateSync(path, 68 + size);
    }));
});
