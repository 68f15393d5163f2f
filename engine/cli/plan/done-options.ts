import type { PlanViewOptions } from '../../report/plan/plan-view.js';
import type { Flags } from '../options/flags.js';

/** How what a run did is shown: its sums and differences, or with `--detail`, `-v` or `-D` every change. */
export const doneOptions = ({
  detail,
  diff,
  verbosity,
}: Pick<Flags, 'detail' | 'diff' | 'verbosity'>): Pick<PlanViewOptions, 'diff' | 'verbose' | 'past' | 'short'> => ({
  diff,
  verbose: verbosity > 0,
  past: true,
  short: !detail && !diff && verbosity === 0,
});
