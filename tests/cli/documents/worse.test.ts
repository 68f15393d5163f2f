import { afterEach, describe, expect, test } from '@jest/globals';
import { brokenPlatform } from '../broken-platform.js';
import { linesOf, MODEL_SECRETS, modelHarness, type Harness } from '../cli-harness.js';

const env = MODEL_SECRETS;
/** With it each reading of the baseline begins: the first one is before the first change. */
const READING = /alerts[^"]*now-1h/;
let end: () => void = () => undefined;
afterEach(() => end());

/** An upgrade on the model; `on` is called at the beginning of each reading of the baseline. */
async function upgrade(
  more: readonly string[],
  on: (reading: number, platform: Platform, running: ReturnType<Harness['start']>) => void,
) {
  const harness = modelHarness('{ socket: model.sock }');
  const platform = await brokenPlatform(harness, []);
  end = () => {
    void platform.served.close();
    harness.end();
  };
  let readings = 0;
  const running = harness.start(['apply', 'upgrade-4.14.yaml', '-y', ...more], { env });
  platform.watch.onAct = (host, act) => {
    if (host === '' && READING.test(JSON.stringify(act))) on((readings += 1), platform, running);
  };
  const { exitCode, stdout, stderr } = await running;
  return { harness, exitCode, stdout, stderr, readings };
}

type Platform = Awaited<ReturnType<typeof brokenPlatform>>;

function setAgents({ state }: Platform, status: 'active' | 'disconnected'): void {
  const { management } = state;
  state.management = {
    ...management,
    agents: management.agents.map((a, i) => (i === 0 ? a : { ...a, status })),
  };
}

describe('after an upgrade', () => {
  test('agents that return over minutes are waited for, and then nothing is worse', async () => {
    const ran = await upgrade(['--fail-if-worse'], (reading, platform) => {
      if (reading === 2) setAgents(platform, 'disconnected');
      if (reading === 4) setAgents(platform, 'active');
    });
    expect([ran.exitCode, ran.readings]).toEqual([0, 4]);
    expect(ran.stderr).toMatch(/^WORSE THAN BEFORE: Agents active 3 → 1, .*Reading again for at most 5 min; /m);
    expect(ran.stdout).not.toContain('WORSE THAN BEFORE');
  });

  test('what stays worse or cannot be read again has lines of its own, and a code of its own', async () => {
    const ran = await upgrade(['--fail-if-worse', '-e', 'verify_limit=30s'], (reading, platform) => {
      if (reading !== 2) return;
      setAgents(platform, 'disconnected');
      platform.state.management = { ...platform.state.management, ownRules: 13, denied: ['decoders:read'] };
    });
    expect([ran.exitCode, ran.readings]).toEqual([6, 5]);
    expect(ran.stdout).toMatch(
      /^✓ .*: done in .*\nWORSE THAN BEFORE {2}Agents active 3 → 1 · Agents disconnected 0 → 2 · Own rules loaded 14 → 13\nNOT READ {2}Own decoders loaded: api answers 403 .*decoders:read$/m,
    );
    expect(ran.stdout).toMatch(/^To compare again: runbook verify$/m);
    const { stdout } = await ran.harness.run(['report'], { env });
    expect(stdout).toMatch(/Worse than before.*Agents active 3 → 1 · .*Own rules loaded 14 → 13/);
    expect(stdout).toMatch(/Not read again.*Own decoders loaded/);
    expect((await ran.harness.run(['show'], { env })).stdout).toContain('\nWORSE THAN BEFORE  Agents active 3 → 1');
  });

  test('Ctrl-C ends the wait with the last whole reading; the run is done, and without the option the code is 0', async () => {
    const ran = await upgrade(['--json'], (reading, platform, running) => {
      if (reading === 2) setAgents(platform, 'disconnected');
      if (reading === 3) running.kill('SIGINT');
    });
    expect(ran.exitCode).toBe(0);
    expect(linesOf(ran.stdout).at(-1)).toMatchObject({ event: { e: 'summary', state: 'done', exit: 0 } });
    const { stdout } = await ran.harness.run(['report'], { env });
    expect(stdout).toContain('| Agents active | 3 | 1 |');
    expect(stdout).toContain('| Own rules loaded | 14 | 14 |');
  });
});
