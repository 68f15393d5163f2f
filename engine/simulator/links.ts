import { posix } from 'node:path';
import type { HostState } from './state.js';

/** Where a path leads once its links are followed; a circle ends where it began. */
export function resolveLink(host: HostState, path: string, depth = 0): string {
  const entry = host.files[path];
  if (entry?.type !== 'link' || depth > 20) return path;
  return resolveLink(host, posix.resolve(posix.dirname(path), entry.text), depth + 1);
}
