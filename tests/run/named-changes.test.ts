import { writeFileSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import { refKey, type Answer } from '../../engine/terms/fact.js';
import type { Reader } from '../../engine/terms/machine.js';
import { bench, type Ran } from './bench-hosts.js';

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

const FACTS = `  drained: { description: In maintenance, command: [cat, "@/drained"] }
  running: { description: It runs, command: [cat, "@/running"] }
  kind: { description: Its kind, file: "@/kind" }
  nodes: { description: Nodes, endpoint: api, path: /nodes, type: number }
  own: { description: Its own load, endpoint: api, path: /load, each_node: true, type: number }
`;

const COMMAND = (changes: string): string => `command: { argv: ["true"], changes: ${changes}, timeout: 1m }`;
const REQUEST = (changes: string): string =>
  `http: { endpoint: other, method: POST, path: /drain, done: true, changes: ${changes} }`;

/** A drain that is said to change this, then a step for each fact, with a condition that holds now. */
async function plan(drain: string): Promise<Ran> {
  const reads = ['drained == "no"', 'running == "yes"', 'kind == "a"', 'nodes == 3', 'own == 3'].map((holds) => {
    const name = holds.split(' ')[0] ?? '';
    return `      - step: ${name}\n        when: fact.${holds}\n        file: { path: "@/of-${name}", state: file, content: x }\n`;
  });
  shop = bench(
    `playbook: P\nplays:\n  - play: One\n    hosts: all\n    steps:\n      - step: Drain\n        ${drain}\n${reads.join('')}`,
    ['a'],
    FACTS,
    '{}',
    '',
    '{ api: { url: http://127.0.0.1:1 }, other: { url: http://127.0.0.1:2 } }',
  );
  for (const [name, text] of Object.entries({ drained: 'no', running: 'yes', kind: 'a' }))
    writeFileSync(shop.path(name), text);
  return shop.run('plan', { reader: answering });
}

/** The endpoint answers `3`. */
const answering = (real: Reader): Reader => ({
  async ask(needs, context) {
    const ofHosts = needs.filter(({ of }) => 'host' in of);
    const three: Answer = { is: 'value', value: { is: 'answered', status: 200, json: 3, text: '3' } };
    return new Map([
      ...(await real.ask(ofHosts, context)),
      ...needs.filter(({ of }) => 'endpoint' in of).map((one) => [refKey(one), three] as const),
    ]);
  },
});

/** Steps that are known after apply. */
const later = ({ events }: Ran): readonly string[] => events.flatMap((e) => (e.e === 'undecided' ? [e.name] : []));

test.each([
  ['everything', ['drained', 'running', 'kind', 'nodes', 'own']],
  ['[fact.drained]', ['drained']],
  ['[fact.kind]', ['kind']],
  ['[fact.nodes]', ['nodes']],
  ['[endpoint.api]', ['nodes', 'own']],
  ['[fact.running, endpoint.api, "@/other"]', ['running', 'nodes', 'own']],
  ['unobserved', []],
])('after a command that changes %s the rest is as it was read', async (changes, unknown) => {
  expect(later(await plan(COMMAND(changes)))).toEqual(unknown);
});

test('a request names facts and endpoints, too', async () => {
  expect(later(await plan(REQUEST('[fact.running, endpoint.api]')))).toEqual(['running', 'nodes', 'own']);
});

test('a host that is away is not left out of a play whose command changes a fact', async () => {
  shop = bench(
    'playbook: P\nplays:\n  - play: One\n    hosts: all\n    steps: [{ step: Drain, when: fact.kind == "a", command: { argv: ["true"], changes: [fact.kind], timeout: 1m } }]\n',
    ['a', 'b'],
    FACTS.replace(/ {2}(?:nodes|own):.*\n/g, ''),
  );
  writeFileSync(shop.path('kind'), 'a');
  const away = (real: Reader): Reader => ({
    async ask(needs, context) {
      const lost: Answer = { is: 'failed', why: 'unreachable', reason: 'no route' };
      const answers = new Map(await real.ask(needs, context));
      for (const one of needs) if ('host' in one.of && one.of.host === 'b') answers.set(refKey(one), lost);
      return answers;
    },
  });
  const { end, events } = await shop.run('plan', { reader: away });
  expect([end, events.flatMap((e) => (e.e === 'host-lost' ? [e.leftOut] : []))]).toEqual(['unreachable', [undefined]]);
});
