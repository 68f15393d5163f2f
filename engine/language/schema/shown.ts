import type { Words } from './words.js';

/** What is reported of one finding. */
export interface FindingText {
  readonly message: string;
  readonly hint?: string;
}

/** A value on one line, cut where it is long. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** The hint that shows examples, where they are short. */
export function like({ examples }: Words): { hint?: string } {
  const shown = examples.slice(0, 3).map((e) => (typeof e === 'string' ? e : JSON.stringify(e)));
  return shown.length === 0 || shown.join().length > 120 ? {} : { hint: `such as ${shown.join(' or ')}` };
}
