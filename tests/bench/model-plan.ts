import { writeModelInventory } from './inventory.js';
import { cost, median, type Cost } from './measure.js';
import { runbook } from './work.js';

export interface ModelPlan {
  readonly hosts: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

/** Plans the shipped upgrade on a platform of so many hosts of the embedded model, in one process: of so many runs the median, or what is asked for. */
export async function planModel(folder: string, hosts: number, rounds = 1, of = median): Promise<ModelPlan> {
  const inventory = writeModelInventory(folder, hosts);
  const runs: Cost[] = [];
  for (let round = 0; round < rounds; round += 1)
    runs.push(
      await cost({
        argv: runbook('plan', '-i', inventory, 'upgrade-4.14.yaml'),
        env: { RUNBOOK_BENCH_PASSWORD: 'taken by the model alone' },
      }),
    );
  const figure = (name: 'wallMs' | 'cpuMs' | 'peakMb'): number => of(runs.map((run) => run[name]));
  return { hosts, wallMs: figure('wallMs'), cpuMs: figure('cpuMs'), peakMb: figure('peakMb') };
}

/** What each host more costs between the first and the second, in the unit of the figure. */
export const slope = (a: ModelPlan, b: ModelPlan, figure: 'cpuMs' | 'peakMb'): number =>
  (b[figure] - a[figure]) / (b.hosts - a.hosts);
