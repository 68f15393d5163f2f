import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { At } from '../../../../../engine/terms/module.js';
import type { BalancedServer } from '../../facts/balanced-server.js';
import { drain } from './module.js';
import type { Args } from './schema.js';

interface Case {
  readonly case: string;
  readonly args: Args;
  readonly facts: { readonly now: BalancedServer };
  readonly expect: { readonly is: string; readonly summary?: string; readonly actions?: readonly object[] };
}

const cases = parse(readFileSync(new URL('cases.yaml', import.meta.url), 'utf8')) as readonly Case[];
const at = { timeMs: 0 } as At;

test.each(cases.map((row) => [row.case, row] as const))('%s', (_, { args, facts, expect: { is, ...wanted } }) => {
  const verdict = drain.decide(args, facts, at);
  expect(verdict).toMatchObject(verdict.is === 'change' ? { is, change: wanted } : { is, ...wanted });
  if (verdict.is !== 'change') return;
  // Nothing is left to do after its own prediction.
  const [predicted] = verdict.change.predicts;
  if (predicted === undefined || !('value' in predicted)) throw new Error('it predicts nothing');
  expect(drain.decide(args, { now: predicted.value as unknown as BalancedServer }, at).is).toBe('ok');
});
