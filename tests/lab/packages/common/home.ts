import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Where manager or agent is installed; another place only when tried by hand. */
const home = process.env['PLATFORM_HOME'] ?? '/var/platform';

/** The absolute path of a file given relative to the installation directory. */
export function at(relative: string): string {
  return join(home, relative);
}

/** The text of a file, or undefined when there is none. */
export function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Replaces a file in one step, so that another daemon never reads half of it; a file that was there keeps its owner. */
export function replace(path: string, bytes: string | Buffer, mode = 0o640): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o770 });
  const beside = `${path}.${String(process.pid)}`;
  writeFileSync(beside, bytes, { mode });
  chmodSync(beside, mode);
  if (existsSync(path)) chownSync(beside, statSync(path).uid, statSync(path).gid);
  renameSync(beside, path);
}

/** The release that is unpacked, as in `4.14.7`. A running daemon keeps the one it was started from. */
export function installedVersion(): string {
  const { version } = JSON.parse(readFileSync(at('VERSION.json'), 'utf8')) as { version: string };
  return version;
}
