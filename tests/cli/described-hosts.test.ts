import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { lineOf, openHarness, type Harness } from './cli-harness.js';

const example = join(import.meta.dirname, '../../docs/examples/nginx');
const INVENTORY = ['-i', 'inventory.yaml', '-i', 'on-model.yaml'];
const env = { HAPROXY_PASSWORD: 'any-password' };

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const files = Object.fromEntries(readdirSync(example).map((name) => [name, readFileSync(join(example, name), 'utf8')]));

function open(change: (model: string) => string = (model) => model): Harness {
  const harness = openHarness({ ...files, 'model.yaml': change(files['model.yaml'] ?? '') });
  ends.push(() => {
    harness.end();
    return Promise.resolve();
  });
  return harness;
}

async function serve(harness: Harness, fault: object): Promise<void> {
  const faults = JSON.stringify({
    faults: [{ fault: 'step', step: 'Upgrade the package', host: 'web-2', times: 1, ...fault }],
  });
  const served = harness.start(['model', 'upgrade.yaml', ...INVENTORY, '-e', '@model.yaml', '-e', faults]);
  ends.push(async () => {
    served.kill('SIGTERM');
    await served;
  });
  await lineOf(served.stdout, /listens on/);
}

test.each([
  ['fails', 'fails in the model (fault step)'],
  ['hangs', 'did not end within 3600 s (fault step)'],
])(
  'the example of the guide runs on the hosts that its file describes; a step that %s is resumed',
  async (how, told) => {
    const harness = open();
    await serve(harness, { how });
    const failed = await harness.run(['apply', 'upgrade.yaml', ...INVENTORY, '-y'], { env });
    expect([failed.exitCode, failed.stdout]).toEqual([1, expect.stringContaining(told)]);
    // Without the second file it would continue on the real hosts.
    expect(failed.stdout).toContain(`runbook resume ${INVENTORY.join(' ')} `);
    const resumed = await harness.run(['resume', '-y', ...INVENTORY], { env });
    expect([resumed.exitCode, resumed.stdout]).toEqual([0, expect.stringContaining('✓ Upgrade nginx: done')]);
    expect(resumed.stdout).toContain(`runbook show --detail ${INVENTORY.join(' ')} ·`);
  },
);

test('an endpoint of the described model takes the password that it was started with, and no other', async () => {
  const harness = open();
  const served = harness.start(['model', 'upgrade.yaml', ...INVENTORY, '-e', '@model.yaml'], {
    env: { HAPROXY_PASSWORD: 'the-right-one' },
  });
  ends.push(async () => {
    served.kill('SIGTERM');
    await served;
  });
  await lineOf(served.stdout, /listens on/);
  const wrong = await harness.run(['plan', 'upgrade.yaml', ...INVENTORY], { env });
  expect(wrong.exitCode).not.toBe(0);
  expect(wrong.stdout).toContain('401');
  const right = await harness.run(['plan', 'upgrade.yaml', ...INVENTORY], {
    env: { HAPROXY_PASSWORD: 'the-right-one' },
  });
  expect([right.exitCode, right.stdout]).toEqual([0, expect.not.stringContaining('401')]);
});

test('a step that is done while the connection goes is found done', async () => {
  const harness = open();
  await serve(harness, { how: 'unknown' });
  const applied = await harness.run(['apply', 'upgrade.yaml', ...INVENTORY, '-y'], { env });
  expect([applied.exitCode, applied.stdout]).toEqual([0, expect.stringContaining('✓ Upgrade nginx: done')]);
});

test.each([
  [
    'a host that the inventory lacks',
    'web:\n      packages',
    'web-9:\n      packages',
    '.hosts.web-9: the inventory has no such role or host',
  ],
  [
    'an endpoint that it lacks',
    'endpoint: haproxy',
    'endpoint: proxy',
    '.answers[0]: the inventory has no endpoint "proxy"',
  ],
  ['an unknown key', 'programs:', 'program:', ': unknown key "program"; did you mean "programs"?'],
  [
    'a package that is not described',
    'nginx: { service',
    'ngin: { service',
    '.hosts.web.packages.nginx: describe it under "packages"',
  ],
])('a description with %s is refused', async (_, from, to, mistake) => {
  const harness = open((model) => model.replace(from, to));
  const refused = await harness.run(['model', 'upgrade.yaml', ...INVENTORY, '-e', '@model.yaml']);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`simulate${mistake}`)]);
});

describe('a run of the model and real hosts', () => {
  const real = ['-i', 'inventory.yaml'];

  test('are marked, and no command takes the one for the other', async () => {
    const harness = open();
    await serve(harness, { how: 'fails' });
    const failed = await harness.run(['apply', 'upgrade.yaml', ...INVENTORY, '-y'], { env });
    expect([failed.exitCode, failed.stdout]).toEqual([1, expect.stringMatching(/^RUN .* · ON THE MODEL$/m)]);
    const [id = ''] = harness.runs();
    const inUse = `runbook: the run ${id} is of the model; the inventory named here is of real hosts\n`;
    for (const command of ['resume', 'close', 'show', 'report']) {
      const other = await harness.run([command, ...real], { env });
      const right = `  runbook ${command} ${INVENTORY.join(' ')}   for that run`;
      expect([other.exitCode, other.stderr]).toEqual([2, `${inUse}${right}`]);
    }
    const listed = await harness.run(['runs', ...real]);
    expect(listed.stdout).toMatch(/Upgrade nginx {3}\(unfinished\) {3}ON THE MODEL$/m);
    expect(listed.stdout).not.toContain('runbook resume');
  });

  test('the plan of a model says so on its page and as a document', async () => {
    const harness = open();
    await serve(harness, { how: 'fails' });
    const page = await harness.run(['plan', 'upgrade.yaml', ...INVENTORY], { env });
    expect(page.stdout.split('\n')[0]).toMatch(/hosts ON THE MODEL {3}READY/);
    const html = await harness.run(['plan', 'upgrade.yaml', ...INVENTORY, '--format', 'html'], { env });
    expect(html.stdout).toContain('<title>Plan: Upgrade nginx ON THE MODEL</title>');
  });
});

test('a model with an unknown fault does not start; the known ones are named', async () => {
  const harness = open();
  const refused = async (fault: string) =>
    (
      await harness.run(
        ['model', 'upgrade.yaml', ...INVENTORY, '-e', '@model.yaml', '-e', JSON.stringify({ faults: [{ fault }] })],
        { env },
      )
    ).stderr;
  expect(await refused('unreachabel')).toMatch(
    /^runbook: unknown fault "unreachabel"; did you mean "unreachable"\? known: start-fails, .*, program\n?$/,
  );
  // A described host is of no platform, so it has none of its faults.
  expect(await refused('own-cluster')).toContain('unknown fault "own-cluster"; ');
});
