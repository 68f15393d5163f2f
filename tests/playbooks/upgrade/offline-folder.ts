import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../../engine/lib/hash.js';
import { packArchive } from '../../../engine/simulator/archive.js';

/** A package as a folder of the controller's has it: `from` is what its header says, where that is not what its name says. */
export interface Packed {
  readonly name: string;
  readonly version: string;
  readonly family: 'deb' | 'rpm';
  readonly says?: string;
}

/** Writes packages that are whole but for their contents, other files by their names, and SHA256SUMS. Gives the folder. */
export function offlineFolder(
  folder: string,
  packages: readonly Packed[],
  others: Readonly<Record<string, Buffer>> = {},
): string {
  mkdirSync(folder, { recursive: true });
  const lines = packages.map(({ name, version, family, says = version }) => {
    const file = family === 'deb' ? `${name}_${version}_amd64.deb` : `${name}-${version}.x86_64.rpm`;
    const bytes = family === 'deb' ? deb(name, says) : rpm(name, says);
    writeFileSync(join(folder, file), bytes);
    return `${sha256(bytes)}  ${file}\n`;
  });
  const more = Object.entries(others).map(([name, bytes]) => {
    writeFileSync(join(folder, name), bytes);
    return `${sha256(bytes)}  ${name}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), [...lines, ...more].join(''));
  return folder;
}

function deb(name: string, version: string): Buffer {
  const control = packArchive([
    { path: './control', text: `Package: ${name}\nVersion: ${version}\nArchitecture: amd64\n` },
  ]);
  const member = (called: string, bytes: Buffer): Buffer[] => [
    Buffer.from(
      `${called.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(bytes.length).padEnd(10)}\`\n`,
    ),
    bytes,
    Buffer.alloc(bytes.length % 2, '\n'),
  ];
  return Buffer.concat([
    Buffer.from('!<arch>\n'),
    ...member('debian-binary', Buffer.from('2.0\n')),
    ...member('control.tar.gz', control),
  ]);
}

/** A lead, a header of no signatures, and the header with name, version, release, architecture and source. */
function rpm(name: string, full: string): Buffer {
  const [version = '', release = ''] = full.split('-');
  const texts = [
    [1000, name],
    [1001, version],
    [1002, release],
    [1022, 'x86_64'],
    [1044, `${name}.src.rpm`],
  ] as const;
  const stored = texts.map(([, text]) => Buffer.from(`${text}\0`));
  let at = 0;
  const index = texts.map(([tag], i) => {
    const entry = words(tag, 6, at, 1);
    at += stored[i]?.length ?? 0;
    return entry;
  });
  const header = (entries: number, bytes: number): Buffer =>
    Buffer.concat([Buffer.from('8eade80100000000', 'hex'), words(entries, bytes)]);
  return Buffer.concat([
    Buffer.concat([Buffer.from('edabeedb', 'hex'), Buffer.alloc(92)]),
    header(0, 0),
    header(texts.length, at),
    ...index,
    ...stored,
  ]);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => bytes.writeUInt32BE(value, 4 * i));
  return bytes;
}
