import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { withoutHost } from '../../engine/language/validators.generated.js';
import { modules } from '../../engine/cli/platforms.js';
import type { AnyModule } from '../../engine/terms/module.js';
import type { Json } from '../../engine/terms/json.js';

/** Facts that the controller has itself. */
const OWN: ReadonlySet<string> = new Set(['done', 'items', 'download', 'offline-packages']);
const AT = { task: { step: 'play/step', on: { controller: true } }, timeMs: 0 } as const;

const examplesOf = (name: string): readonly Json[] => {
  const folder = ['check', 'wait_for'].includes(name) ? 'checks' : 'modules';
  const file = new URL(`../../schemas/${folder}/${name}.schema.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly examples: readonly Json[] }).examples;
};
const asksHost = (module: AnyModule): boolean =>
  examplesOf(module.name).some((args) =>
    Object.values(module.needs(args, AT)).some(({ of, fact }) => 'controller' in of && !OWN.has(fact)),
  );

test('the modules that a play without hosts may have are those that ask nothing of a host', () => {
  const without = [...modules.values()].filter((module) => !asksHost(module)).map(({ name }) => name);
  expect(without.toSorted()).toEqual([...withoutHost].toSorted());
});
