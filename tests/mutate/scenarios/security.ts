import { putFile } from '../../../engine/simulator/files.js';
import { advance, startService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import {
  actsLike,
  allocation,
  deepEqual,
  doesNotMatch,
  done,
  down,
  equal,
  hostOf,
  match,
  stopped,
  textOf,
} from '../look.js';
import { after, edit } from '../ours.js';
import { scenario, type Scenario } from '../scenario.js';
import { FIRST, NOTE, PLAYBOOK, prepared, PUSH, pushDue, SECURITY, security, SECURITY_BACKUP } from './indexer.js';
import { stoppedAt } from './killed.js';

export const securityConfiguration: readonly Scenario[] = [
  scenario(
    'indexers: a loss in the security configuration stops the run before the push where the operator says so',
    async (stage) => {
      const p = await prepared(stage);
      p.state.cluster.security['roles_mapping'] = security('readers: {}\n');
      const ran = await p.run(PLAYBOOK, {
        vars: { security_loss: 'error' },
        before: (act, state) => {
          if (/indexer-1: systemctl start/.test(act)) state.cluster.security['roles_mapping'] = security('');
        },
      });
      stopped(ran, /has lost since the backup in \S+: roles_mapping: readers/);
      deepEqual(actsLike(ran, PUSH), []);
    },
  ),
  scenario(
    'indexers: an admin key that the security tool cannot read stops the run with everything up',
    async (stage) => {
      const p = await prepared(stage);
      Object.assign(hostOf(p.state, 'indexer-1').files['/etc/platform-indexer/certs/admin-key.pem'] ?? {}, {
        owner: 'root',
        group: 'root',
        mode: '0600',
      });
      const ran = await p.run(PLAYBOOK);
      stopped(ran, /status 255/);
      deepEqual(down(p.state), []);
      equal(allocation(p.state), undefined);
    },
  ),
  scenario(
    'indexers: a backup of the security configuration that is half written stops the run with everything up',
    async (stage) => {
      const p = await prepared(stage);
      const ran = await p.run(PLAYBOOK, {
        on: ({ event }, state) => {
          if (event.e === 'effect' && event.task.step.endsWith('/Back up the security configuration'))
            edit(state, 'indexer-1', `${SECURITY}/internal_users.yml`, () => '');
        },
      });
      stopped(ran, /internal_users\.yml/);
      deepEqual([down(p.state), allocation(p.state), actsLike(ran, PUSH)], [[], undefined, []]);
    },
  ),
  scenario(
    'indexers: a cluster of several engines is backed up before the upgrade, and pushed to once it has one',
    async (stage) => {
      const p = await prepared(stage);
      const first = await stoppedAt(p, PLAYBOOK, /indexer-3: systemctl start platform-indexer/);
      await p.run(PLAYBOOK, { verb: 'close', past: first.recorded });
      const byHand = p.clone();
      // The run that was closed made the backup of this upgrade; the next one makes only that of the push.
      const next = await p.run(PLAYBOOK, { name: 'next' });
      done(next);
      deepEqual([actsLike(next, SECURITY_BACKUP).length, actsLike(next, PUSH).length], [1, 1]);
      // Without a record of it, as where a node was upgraded by hand, the backup only reads, and the push waits for the others.
      Reflect.deleteProperty(hostOf(byHand.state, 'indexer-1').files, NOTE);
      startService(byHand.state, hostOf(byHand.state, 'indexer-3'), 'platform-indexer');
      advance(byHand.state, byHand.state.nowMs + 120_000);
      const engines: string[] = [];
      const other = await byHand.run(PLAYBOOK, {
        name: 'other',
        before: (act, state) => {
          if (SECURITY_BACKUP.test(act) || PUSH.test(act))
            engines.push([...new Set(Object.values(state.cluster.nodes).map(({ version }) => version))].sort().join());
        },
      });
      done(other);
      deepEqual(engines, ['2.19.1,2.19.4', '2.19.4', '2.19.4']);
      match(textOf(byHand.state, 'indexer-1', `${FIRST}/roles.yml`) ?? '', /as it is in force/);
    },
  ),
  scenario('indexers: nothing is pushed while a node of another version is in the cluster', async (stage) => {
    const p = (await after('indexer', stage)).clone();
    pushDue(p.state);
    Object.assign(p.state.cluster.nodes['indexer-2'] ?? {}, { version: '2.19.1' });
    const ran = await p.run(PLAYBOOK, { name: 'mixed' });
    stopped(ran, /a node is missing, or has another version/);
    deepEqual(actsLike(ran, SECURITY_BACKUP), []);
  }),
  scenario('indexers: once all are upgraded, files beside the security configuration stop nothing', async (stage) => {
    const p = (await after('indexer', stage)).clone();
    putFile(hostOf(p.state, 'indexer-2'), `${SECURITY}/idp.xml`, { text: 'a' }, 1);
    equal((await p.plan(PLAYBOOK)).why, '');
  }),
  scenario(
    'verify: the security configuration is read once more, and what differs from the push is reported',
    async (stage) => {
      const p = await after('agents', stage);
      const quiet = await p.clone().run('verify.yaml');
      doesNotMatch(quiet.warned, /security/i);
      const changed = p.clone();
      changed.state.cluster.security['roles'] = 'changed by hand\n';
      match((await changed.run('verify.yaml')).warned, /roles\.yml is not what the cluster has after the push/);
      equal(textOf(changed.state, 'indexer-1', NOTE), undefined);
    },
  ),
  scenario(
    'verify: a security configuration that cannot be read is a warning, and the rest is verified',
    async (stage) => {
      const p = await after('agents', stage);
      p.state.faults.push({
        fault: 'program',
        host: 'indexer-1',
        program: 'indexer-security-init.sh',
        exit: 255,
        stdout: 'FAIL: no\n',
        times: 9,
      });
      const ran = await p.run('verify.yaml');
      done(ran);
      match(ran.warned, /Read the applied security configuration: /);
    },
  ),
];
