// `npm run bench [-- --rounds N] [--hosts N]`: what a run costs, side by side with what people would use instead. Needs root on Debian.
import { spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { bigDocuments } from './big-document.js';
import { contestantsFor, runOnce } from './contestants.js';
import { measureDoctor } from './doctor.js';
import { drawing } from './drawing.js';
import { startHosts, type BenchHosts } from './hosts.js';
import { inTurn } from './measure.js';
import { planModel } from './model-plan.js';
import { prepare } from './needs.js';
import { roundTrips } from './round-trips.js';
import {
  Bounds,
  showBigDocument,
  showDrawing,
  showModelPlans,
  showRoundTrips,
  showSideBySide,
  showStartUp,
} from './show.js';
import { measureStartUp } from './start-up.js';

const DELAY_MS = 50;

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, hosts: { type: 'string', default: '50' } },
});
const [rounds, count] = [Number(values.rounds), Number(values.hosts)];

async function sideBySide(hosts: BenchHosts, bounds: Bounds): Promise<void> {
  const { present, missing } = contestantsFor(hosts);
  for (const name of missing) console.log(`${name} is not installed, and left out`);
  // The first run makes what is missing; the second looks whether nothing is left to do.
  for (const { program, name } of present) {
    console.log(`${name}: first run`);
    await runOnce({ name, program, foundAllRight: () => true });
  }
  const costs = await inTurn(
    rounds,
    present.map((contestant) => () => runOnce(contestant)),
  );
  showSideBySide(
    present.map(({ name }, i) => ({ name, costs: costs[i] ?? [] })),
    count,
    bounds,
  );
}

async function main(): Promise<number> {
  const unfit = prepare();
  if (unfit !== undefined) return (console.error(unfit), 1);
  if (
    process.env['RUNBOOK_PROGRAM'] === undefined &&
    spawnSync(process.execPath, ['tests/tools/build.js'], { stdio: 'inherit' }).status !== 0
  )
    return 1;
  console.log(
    `Node ${process.versions.node}, ${cpus().length} cores shared by both ends, load ${loadavg()[0]?.toFixed(1) ?? '?'}, ${rounds} rounds`,
  );
  const bounds = new Bounds();
  showStartUp(await measureStartUp(20), bounds);
  const hosts = await startHosts(count);
  try {
    await sideBySide(hosts, bounds);
    showRoundTrips(await roundTrips(hosts, DELAY_MS), DELAY_MS, bounds);
    await measureDoctor(hosts, bounds);
    const plans = [];
    for (const n of [500, 1000, 2000]) plans.push(await planModel(hosts.folder, n, 3));
    showModelPlans(plans, bounds);
    showDrawing(drawing(1000), bounds);
    for (const document of await bigDocuments(hosts.folder, 1000, 5)) showBigDocument(document, bounds);
  } finally {
    await hosts.stop();
  }
  return bounds.report();
}

process.exitCode = await main();
