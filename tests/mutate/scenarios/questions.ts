import { createIndex } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import { stopService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import type { JsonObject } from '../../../engine/terms/json.js';
import { done, equal, hostOf, match, ok, stopped } from '../look.js';
import { after, enableRepository, upgraded } from '../ours.js';
import { scenario, type Scenario } from '../scenario.js';
import type { Platform, Stage } from '../stage.js';
import { to, WHOLE } from './rollback.js';

interface Question {
  readonly about: string;
  readonly found: (stage: Stage) => Promise<Platform>;
  readonly playbook: string;
  /** What answers it. */
  readonly variable: string;
  /** What else the run is given. */
  readonly vars?: JsonObject;
  readonly text: RegExp;
  /** Why the run ends later all the same, as the question says. */
  readonly why?: RegExp;
}

const fresh =
  (from: string, alter: (p: Platform) => void) =>
  async (stage: Stage): Promise<Platform> => {
    const p = await stage.platform({ from });
    alter(p);
    return p;
  };
const nothing = (): void => undefined;
const lonely = ({ state }: Platform): void => {
  createIndex(state, 'lonely', { shards: 1, replicas: 3 });
};
const LATER = { indexer: '4.14.6-1', manager: '4.14.6-1', dashboard: '4.14.6-1', shipper: '7.10.2-1' };
const backTo = to().vars ?? {};

const questions: readonly Question[] = [
  {
    about: 'allocation that was restricted before',
    found: fresh('4.12.0', ({ state }) => {
      state.cluster.persistent['cluster.routing.allocation.enable'] = 'primaries';
    }),
    playbook: 'prepare.yaml',
    variable: 'reset_allocation',
    text: /allocation\.enable is "primaries"/,
  },
  {
    about: 'a repository that was enabled before',
    found: fresh('4.12.0', ({ state }) => enableRepository(state, 'server-2')),
    playbook: 'prepare.yaml',
    variable: 'disable_repositories',
    text: /is enabled already on a central host/,
  },
  {
    about: 'replicas that no node can take',
    found: fresh('4.12.0', lonely),
    playbook: 'upgrade-4.14.yaml',
    variable: 'accept_unassigned_replicas',
    text: /can be on no node/,
  },
  {
    about: 'saved objects that are exported by hand',
    found: fresh('4.12.0', nothing),
    playbook: 'prepare.yaml',
    variable: 'saved_objects_exported',
    vars: { saved_objects: 'manual' },
    text: /Export the saved objects/,
  },
  {
    about: 'saved objects that are imported by hand',
    found: (stage) => after('dashboard', stage),
    playbook: 'saved-objects.yaml',
    variable: 'saved_objects_imported',
    vars: { saved_objects: 'manual' },
    text: /Import the saved objects/,
  },
  {
    about: 'allocation that is enabled by hand',
    found: fresh('4.14.7', nothing),
    playbook: 'allow-allocation.yaml',
    variable: 'enable_allocation',
    text: /must stay in place while an indexer/,
  },
  {
    about: 'a dashboard that is restarted',
    found: fresh('4.14.7', nothing),
    playbook: 'restart-dashboard.yaml',
    variable: 'browser_cache_cleared',
    text: /Clear your browser's cache/,
  },
  {
    about: 'a component that goes back alone',
    found: upgraded,
    playbook: 'rollback-dashboard.yaml',
    variable: 'allow_mixed_versions',
    vars: backTo,
    text: /Dashboards would be at 4\.12\.0/,
  },
  {
    about: 'servers that go back before the indexers',
    found: async (stage) => {
      const p = await upgraded(stage);
      done(await p.run('rollback-dashboard.yaml', to({ name: 'first' })));
      return p;
    },
    playbook: 'rollback-server.yaml',
    variable: 'allow_mixed_versions',
    vars: backTo,
    text: /Servers would be at 4\.12\.0/,
  },
  {
    about: 'agents that a manager which does not run cannot list',
    found: async (stage) => {
      const p = await upgraded(stage);
      stopService(p.state, hostOf(p.state, 'server-1'), 'platform-manager');
      return p;
    },
    playbook: WHOLE,
    variable: 'no_agents_upgraded',
    vars: { ...backTo, override_version: true },
    text: /Confirm that no other agents have been upgraded/,
  },
  {
    about: 'saved objects that a rollback cannot show again',
    found: async (stage) => {
      const p = await stage.platform({ from: '4.14.6', newFormFrom: '4.14.7' });
      done(await p.run('upgrade-4.14.yaml', { name: 'first' }));
      Reflect.deleteProperty(p.state.cluster.indices, '.kibana_1');
      return p;
    },
    playbook: WHOLE,
    variable: 'lose_saved_objects',
    vars: { rollback_to: '4.14.6', rollback_packages: LATER },
    text: /the previous index no longer exists/,
    why: /dashboard did not start/,
  },
];

/** Unattended, each question ends the run before it; with its variable the run goes on, and its page has the question with its answer. */
export const answers: readonly Scenario[] = questions.map(({ about, found, playbook, variable, vars, text, why }) =>
  scenario(`questions: ${about}: ${variable} answers it beforehand`, async (stage) => {
    const p = await found(stage);
    const unattended = await p.clone().run(playbook, { name: 'unattended', ...(vars === undefined ? {} : { vars }) });
    match(unattended.asked, text);
    ok(unattended.end !== 'done');
    const planned = await p.clone().plan(playbook, { name: 'planned', vars: { ...vars, [variable]: true } });
    equal(planned.asked, '');
    match(planned.warned, text);
    const ran = await p.run(playbook, { name: 'answered', vars: { ...vars, [variable]: true } });
    if (why === undefined) done(ran);
    else stopped(ran, why);
    equal(ran.asked, '');
    match(ran.warned, text);
  }),
);
