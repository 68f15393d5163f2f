import { printable } from '../style.js';

/** What has no width, turns the direction of text, or is half of a pair. */
const HIDDEN = /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cs}|[\u2028\u2029]/gu;

const shown = (c: string): string => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`;

/**
 * Text that did not come from us, in a document: what a reader would not see, and control characters, are shown as their code points.
 * Tabs and line ends stay.
 */
export const visible = (text: string): string => printable(text).replace(HIDDEN, shown);

/** The same on one line. */
export const visibleLine = (text: string): string => visible(text).replaceAll('\n', ' ⏎ ').replaceAll('\t', ' ');
