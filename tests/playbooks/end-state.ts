import { sha256 } from '../../engine/lib/hash.js';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';

/** What hosts write by themselves, and copies that say when they were made. */
const PASSING = /\/(backups|log|logs|registry|alerts)(\/|$)|\/var\/lib\/apt\/lists\/|\.bak|\.dpkg-dist/;

/** What an upgrade leaves behind, without times and numbers of starts: two roads to one end have equal ones. */
export function endState(state: PlatformState, passing = PASSING): Readonly<Record<string, string>> {
  const end: Record<string, string> = {};
  for (const [name, host] of Object.entries(state.hosts)) {
    for (const [path, f] of Object.entries(host.files))
      if (!passing.test(path)) end[`${name} ${path}`] = `${f.type} ${f.owner}:${f.group} ${f.mode} ${sha256(f.text)}`;
    for (const [unit, s] of Object.entries(host.services))
      end[`${name} ${unit}.service`] = `${s.active} enabled=${String(s.enabled)} ${s.processes} of ${s.runs}`;
    for (const [id, p] of Object.entries(host.packages))
      end[`${name} package ${id}`] = `${p.version} ${p.status}${p.held ? ' held' : ''}`;
  }
  const { persistent, transient, templates, pipelines, security, aliases } = state.cluster;
  const agents = state.management.agents.map((a) => [a.name, a.version, a.status]);
  return {
    ...end,
    cluster: JSON.stringify({ persistent, transient, templates, pipelines, security, aliases }),
    api: JSON.stringify({ version: state.management.version, agents }),
    'saved objects': JSON.stringify(state.savedObjects),
  };
}

/** What of one is not so in the other, each with both values. */
export function differences(
  a: Readonly<Record<string, string>>,
  b: Readonly<Record<string, string>>,
): readonly string[] {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return keys.filter((k) => a[k] !== b[k]).map((k) => `${k}: ${a[k] ?? 'absent'} => ${b[k] ?? 'absent'}`);
}

/** How often each unit of each host was started. */
export const startsOf = (state: PlatformState): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(state.hosts).flatMap(([name, host]) =>
      Object.entries(host.services).map(([unit, s]) => [`${name} ${unit}`, s.starts] as const),
    ),
  );
