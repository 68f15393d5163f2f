import { escapeUnits } from '../lib/escape-units.js';
import { inPieces } from './style.js';

/** What a reader would not see, what turns the direction of text, and the control characters that JSON itself does not escape. */
const HIDDEN = /[\u007f-\u009f\u2028\u2029]|\p{Default_Ignorable_Code_Point}|\p{Cf}/gu;

/** JSON that may be shown on a terminal and pasted into a ticket: the same data, with each such character escaped. `indent`: spaces a level. */
export const jsonText = (value: unknown, indent?: number): string =>
  inPieces(JSON.stringify(value, undefined, indent), (piece) => piece.replace(HIDDEN, escapeUnits));
