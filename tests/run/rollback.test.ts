import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Project } from '../../engine/language/project.js';
import { addDocument } from '../../engine/model/documents.js';
import type { PlatformState } from '../../engine/model/state.js';
import type { JsonObject } from '../../engine/terms/json.js';
import type { Event } from '../../engine/terms/event.js';
import type { Ran } from './bench-hosts.js';
import { platform, runOn, shippedProject, type Around } from './platform-bench.js';

let whole: Project;
beforeAll(async () => {
  whole = await shippedProject('rollback.yaml');
});

const told = {
  back_to: '4.12.0',
  back_packages: { indexer: '4.12.0-1', manager: '4.12.0-1', dashboard: '4.12.0-1', shipper: '7.10.2-1' },
};
const withVars = (project: Project, vars: JsonObject): Project => ({
  ...project,
  extraVars: { ...project.extraVars, ...vars },
});
interface Back {
  readonly project?: Project;
  readonly vars?: JsonObject;
  readonly verb?: 'apply' | 'plan' | 'resume';
}
const back = (
  state: PlatformState,
  around: Around = {},
  { project = whole, vars = {}, verb = 'apply' }: Back = {},
): Promise<Ran> => runOn(withVars(project, { ...told, ...vars }), state, verb, { name: 'back', ...around });

const refusal = (events: readonly Event[]): string =>
  events
    .flatMap((e) =>
      e.e === 'settled' && (e.as === 'blocked' || e.as === 'failed') ? [`${e.reason ?? ''} | ${e.hint ?? ''}`] : [],
    )
    .join('\n');
const packagesOf = (state: PlatformState, role: string): readonly (string | undefined)[] =>
  Object.values(state.hosts)
    .filter((h) => h.roles.includes(role))
    .map((h) => Object.values(h.packages)[0]?.version);
const documentsOf = (state: PlatformState): readonly string[] =>
  Object.entries(state.cluster.indices).flatMap(([name, i]) => Object.keys(i.documents).map((id) => `${name} ${id}`));
const engines = (state: PlatformState): readonly string[] =>
  Object.values(state.cluster.nodes).map((n) => `${n.joined ? '' : 'away '}${n.version}`);

/** An upgrade that dies when so many indexers are done. */
async function stoppedAfter(indexers: number) {
  const { run, state } = await platform();
  let left = 0;
  for (let i = 0; i < 40; i += 1) addDocument(state, 'platform-alerts-4.x-2026.11.21', { n: i });
  const ran = await run('apply', {
    stopping: () => left >= indexers,
    on: ({ event }) => {
      if (event.e === 'host-left' && event.play.endsWith('Upgrade each node')) left += 1;
    },
  });
  expect(ran.end).toBe('interrupted');
  return state;
}

describe('the way back of an upgrade that stopped after the second indexer', () => {
  test('asked for the override, it ends with three healthy old nodes and every document', async () => {
    const state = await stoppedAfter(2);
    const before = documentsOf(state);
    const ran = await back(state, { answer: 'yes' });
    expect(refusal(ran.events)).toBe('');
    expect(ran.end).toBe('done');
    expect(packagesOf(state, 'indexer')).toEqual(['4.12.0-1', '4.12.0-1', '4.12.0-1']);
    expect(engines(state)).toEqual(['2.19.1', '2.19.1', '2.19.1']);
    expect(before.filter((id) => !documentsOf(state).includes(id))).toEqual([]);
  });
});
