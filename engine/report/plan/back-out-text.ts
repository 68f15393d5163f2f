import { showDuration } from '../../lib/duration.js';
import type { AssessedBackOut } from '../../terms/assessment.js';
import { estimateText } from './estimate-text.js';

/** How long a rollback takes, and whence that is known where no plan of it was counted: `about 2 min`, `25 min default`. */
export const backOutText = ({ counted, takesMs, measured }: AssessedBackOut): string =>
  counted === undefined
    ? `${showDuration(takesMs)} ${measured === true ? 'measured' : 'default'}`
    : estimateText(counted);
