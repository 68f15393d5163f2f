import { gunzipSync } from 'node:zlib';
import { advance } from '../../engine/platforms/security-monitoring/simulator/platform.js';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { bytesOf } from '../../engine/simulator/files.js';

/** Every alert that the managers wrote, and every one that the indexer has a minute later, by manager, time and text. */
export function alerts(state: PlatformState): {
  readonly written: readonly string[];
  readonly found: readonly string[];
} {
  advance(state, state.nowMs + 60_000);
  const key = (json: string): string => {
    const alert = JSON.parse(json) as { timestamp: string; full_log: string; manager: { name: string } };
    return `${alert.manager.name} ${alert.timestamp} ${alert.full_log}`;
  };
  const texts = Object.values(state.hosts).flatMap((h) =>
    Object.entries(h.files).flatMap(([path, f]) =>
      /\/logs\/alerts\/(alerts\.json|\d.*\.json\.gz)$/.test(path)
        ? [path.endsWith('.gz') ? gunzipSync(bytesOf(f)).toString() : f.text]
        : [],
    ),
  );
  const written = texts.flatMap((text) => text.split('\n').flatMap((line) => (line === '' ? [] : [key(line)])));
  const found = Object.entries(state.cluster.indices).flatMap(([name, index]) =>
    name.startsWith('platform-alerts-') ? Object.values(index.documents).map(key) : [],
  );
  return { written: written.sort(), found: found.sort() };
}
