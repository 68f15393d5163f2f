import { firstOf } from '../columns.js';
import type { Style } from '../style.js';

/** What a page of a plan leaves out, step by step, until it fits: the detail has all of it. */
export type Shortening =
  /** Nothing. */
  | 0
  /** Long texts and the names of temporary changes have one line each. */
  | 1
  /** And the notes on what a downtime means. */
  | 2
  /** And where the run can be stopped. */
  | 3;

export const SHORTENINGS: readonly Shortening[] = [0, 1, 2, 3];

export interface PageLayout {
  readonly width: number;
  readonly style: Style;
  readonly short: Shortening;
}

/** The lines of a long text: one of them where the page is short. */
export const cutWhereShort = (lines: readonly string[], { width, short }: PageLayout): readonly string[] =>
  short >= 1 ? firstOf(lines, width) : lines;
