import { shaped } from '../../playbooks/platform-shapes.js';
import { done, deepEqual, doesNotMatch, equal, match, textOf } from '../look.js';
import { edit } from '../ours.js';
import { scenario, type Scenario } from '../scenario.js';
import { note } from './indexer.js';

const DASHBOARD = '/etc/platform-dashboard/dashboard.yml';
const INDEXER = '/etc/platform-indexer/opensearch.yml';

const settings = (text: string | undefined, like: RegExp): readonly string[] =>
  (text ?? '').split('\n').filter((line) => like.test(line));

export const mergedKeys: readonly Scenario[] = [
  scenario(
    'a setting of the operator’s that a package’s script appends again stands once, as he has it',
    async (stage) => {
      const p = await stage.platform(
        { rpmHosts: ['d2'] },
        shaped({ d1: 'dashboard', d2: 'dashboard', d3: 'dashboard', s: 'server master', i: 'indexer' }),
      );
      const own = {
        d1: '"opensearch_security.cookie.secure": false\n',
        d2: 'opensearch_security:\n  cookie: { secure: false }\n',
      };
      for (const [host, lines] of Object.entries(own)) edit(p.state, host, DASHBOARD, (text) => text + lines);
      edit(p.state, 'i', INDEXER, (text) => text.replace('cluster.name', '"cluster.name"'));
      note(p.state, 'i', `${INDEXER}.dpkg-dist`, 'cluster.name: "another"\na.new.setting: 1\n');
      const before = new Map(['d1', 'd2', 'd3'].map((host) => [host, textOf(p.state, host, DASHBOARD) ?? '']));
      const ran = await p.run('upgrade-4.14.yaml', { answer: 'yes' });
      done(ran);
      for (const host of ['d1', 'd2']) equal(textOf(p.state, host, DASHBOARD), before.get(host));
      equal(textOf(p.state, 'd3', DASHBOARD), `${before.get('d3') ?? ''}opensearch_security.cookie.secure: true\n`);
      deepEqual(settings(textOf(p.state, 'i', INDEXER), /cluster\.name|a\.new/), [
        '"cluster.name": "platform-cluster"',
        'a.new.setting: 1',
      ]);
      match(ran.warned, /dashboard\.yml[^\n]*changed[\s\S]*\+opensearch_security\.cookie\.secure: true/);
      doesNotMatch(ran.warned, /dashboard\.yml was kept/);
      const again = await p.run('upgrade-4.14.yaml', { name: 'again', answer: 'yes' });
      deepEqual([again.end, again.acts], ['done', []]);
    },
  ),
];
