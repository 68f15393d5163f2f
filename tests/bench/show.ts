import type { Drawing } from './drawing.js';
import type { BigDocument } from './big-document.js';
import { median, type Cost } from './measure.js';
import { slope, type ModelPlan } from './model-plan.js';
import type { RoundTrips } from './round-trips.js';
import { ratios, type StartUp } from './start-up.js';

/** What was promised and what was found. A `must` that is not met fails the bench; a `goal` is printed. */
export class Bounds {
  readonly #lines: string[] = [];
  #broken = 0;

  check(kind: 'must' | 'goal', what: string, found: number, limit: number, unit = ''): void {
    const isMet = found <= limit;
    if (!isMet && kind === 'must') this.#broken += 1;
    this.#lines.push(
      `${isMet ? 'ok  ' : kind === 'must' ? 'FAIL' : 'MISS'} ${what}: ${figure(found)}${unit} (${kind} be at most ${limit}${unit})`,
    );
  }

  /** Prints them; the exit code. */
  report(): number {
    console.log(`\n${this.#lines.join('\n')}`);
    return this.#broken === 0 ? 0 : 1;
  }
}

/**
 * The wall time of each contestant as the median, with the shortest and the longest for the noise, and both against the loop: the
 * shortest is what hardly anybody else on the machine disturbed.
 */
export function showSideBySide(
  all: readonly { readonly name: string; readonly costs: readonly Cost[] }[],
  hosts: number,
  bounds: Bounds,
): void {
  const of = (costs: readonly Cost[], key: 'wallMs' | 'cpuMs' | 'peakMb'): number => median(costs.map((c) => c[key]));
  const loop = all.find(({ name }) => name === 'OpenSSH loop')?.costs ?? [];
  const loopWalls = loop.map((c) => c.wallMs);
  console.log(`\n${hosts} hosts, 10 steps, nothing to change, in turn:`);
  table(
    [
      '',
      'wall median',
      'shortest',
      'longest',
      '× loop',
      'shortest × loop',
      'controller CPU',
      'a host',
      'peak of a process',
    ],
    all.map(({ name, costs }) => {
      const walls = costs.map((c) => c.wallMs);
      const cpuMs = of(costs, 'cpuMs');
      return [
        name,
        seconds(median(walls)),
        seconds(Math.min(...walls)),
        seconds(Math.max(...walls)),
        ratios(walls, loopWalls).medians.toFixed(2),
        ratios(walls, loopWalls).shortest.toFixed(2),
        seconds(cpuMs),
        `${figure(cpuMs / hosts)} ms`,
        `${figure(of(costs, 'peakMb'))} MB`,
      ];
    }),
  );
  const own = all[0]?.costs ?? [];
  bounds.check('must', 'peak memory', Math.max(...own.map((c) => c.peakMb)), 150, ' MB');
  bounds.check('goal', 'wall, × the OpenSSH loop', of(own, 'wallMs') / median(loopWalls), 0.6);
  bounds.check('goal', 'controller CPU a host', of(own, 'cpuMs') / hosts, 20, ' ms');
}

export function showRoundTrips({ perStep, byWall, cost }: RoundTrips, delayMs: number, bounds: Bounds): void {
  console.log(`\nThrough a proxy of ${delayMs} ms each way, a step that needs no change, connecting aside:`);
  console.log(
    `  ${figure(median(perStep))} round trips a host (${figure(Math.min(...perStep))} to ${figure(Math.max(...perStep))}), counted; ${figure(byWall)} told by the clock, with all computing`,
  );
  console.log(`  the whole run took ${seconds(cost.wallMs)}`);
  bounds.check('must', 'round trips a host and step', Math.max(...perStep), 1.1);
}

export function showModelPlans(plans: readonly ModelPlan[], bounds: Bounds): void {
  console.log('\nThe shipped upgrade, planned on hosts of the model:');
  table(
    ['hosts', 'wall', 'CPU', 'peak'],
    plans.map((p) => [String(p.hosts), seconds(p.wallMs), seconds(p.cpuMs), `${figure(p.peakMb)} MB`]),
  );
  const [small, middle, large] = plans;
  if (small === undefined || middle === undefined || large === undefined) return;
  bounds.check('must', `peak memory of ${middle.hosts} model hosts`, middle.peakMb, 400, ' MB');
  bounds.check(
    'must',
    'CPU for each host more, second half to first',
    slope(middle, large, 'cpuMs') / slope(small, middle, 'cpuMs'),
    1.5,
  );
  bounds.check(
    'must',
    'memory for each host more, second half to first',
    slope(middle, large, 'peakMb') / slope(small, middle, 'peakMb'),
    1.5,
  );
}

export function showBigDocument({ of, hosts, sizeMb, openMs }: BigDocument, bounds: Bounds): void {
  console.log(`\nThe ${of} of ${hosts} model hosts as HTML: ${figure(sizeMb)} MB, opened in ${seconds(openMs)}`);
  bounds.check('must', `HTML of a ${of} of ${hosts} hosts`, sizeMb, 5, ' MB');
  bounds.check('must', `time to open the ${of}`, openMs, 2000, ' ms');
}

export function showDrawing({ hosts, events, share }: Drawing, bounds: Bounds): void {
  console.log(`\nThe live view of ${hosts} hosts, ${events} events in a minute: ${figure(share * 100)} % of a core`);
  bounds.check('must', `drawing ${hosts} hosts`, share * 100, 10, ' % of a core');
}

export function showStartUp({ node, version, validate }: StartUp, bounds: Bounds): void {
  console.log('\nStart-up, medians of starts in turn:');
  console.log(
    `  node -e 0 ${figure(median(node))} ms, runbook --version ${figure(median(version))} ms, runbook validate ${figure(median(validate))} ms`,
  );
  bounds.check('must', 'runbook --version, × node -e 0', ratios(version, node).medians, 1.5);
  bounds.check('must', 'runbook validate, × node -e 0', ratios(validate, node).medians, 4);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const pad = (text: string, i: number): string =>
    i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0);
  for (const row of [head, ...rows]) console.log(`  ${row.map(pad).join('  ')}`.trimEnd());
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
const figure = (n: number): string => (Math.abs(n) >= 100 ? n.toFixed(0) : n.toFixed(n >= 10 ? 1 : 2));
