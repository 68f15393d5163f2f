import { cost, inTurn, median, type Cost } from './measure.js';
import { runbook } from './work.js';

/** How long programs take to start, milliseconds of wall time. */
export interface StartUp {
  readonly node: readonly number[];
  readonly version: readonly number[];
  readonly validate: readonly number[];
}

/** Starts each so many times, in turn: `node -e 0`, `runbook --version`, `runbook validate` of the shipped upgrade. */
export async function measureStartUp(times: number): Promise<StartUp> {
  const runs = await inTurn(times, [
    () => cost({ argv: [process.execPath, '-e', '0'] }),
    () => cost({ argv: runbook('--version') }),
    () => cost({ argv: runbook('validate', 'upgrade-4.14.yaml') }),
  ]);
  const [node = [], version = [], validate = []] = runs.map((r: readonly Cost[]) => r.map((c) => c.wallMs));
  return { node, version, validate };
}

/** Of two lists of times taken in turn: the ratio of their medians, and that of their shortest, which hardly anybody else disturbed. */
export const ratios = (
  of: readonly number[],
  to: readonly number[],
): { readonly medians: number; readonly shortest: number } => ({
  medians: median(of) / median(to),
  shortest: Math.min(...of) / Math.min(...to),
});
