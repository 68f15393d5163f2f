import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from './shipped.js';

/** Survivors that are known, by a pattern of their ids (`*` is any text), and why each is none to be killed. */
export interface Reason {
  readonly mutants: string;
  readonly reason: string;
}

export const reasons = (): readonly Reason[] =>
  parse(readFileSync(join(root, 'tests/mutate/survivors.yaml'), 'utf8')) as readonly Reason[];

export const reasonOf = (id: string, known: readonly Reason[]): string | undefined =>
  known.find(({ mutants }) => matches(mutants, id))?.reason;

function matches(pattern: string, id: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(id);
}
