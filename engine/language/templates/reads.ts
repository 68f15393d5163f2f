import type { ASTNode } from '@marcbachmann/cel-js';
import { pathOf } from '../../expressions/names.js';
import { childrenOf, parseExpression } from '../../expressions/parse.js';
import { expressionsOf } from '../../terms/condition.js';
import type { Inventory } from '../../terms/inventory.js';
import type { Json } from '../../terms/json.js';
import type { Platform } from '../../terms/playbook.js';
import { namesIn } from './names.js';
import type { LoadedPlaybook } from '../playbook/load.js';
import { conditionArgs } from '../validators.generated.js';
import { objectOf } from '../values.js';

/** Dotted names that templates and expressions of a project mention: `vars.heap`, `platform.target`, `fact.health.status`. */
export function namesReadBy(playbook: LoadedPlaybook, platform: Platform, inventory: Inventory): ReadonlySet<string> {
  const trees: readonly Json[] = [
    ...playbook.plays.map(({ play }) => play as unknown as Json),
    ...playbook.values.map(({ json }) => json),
    platform as unknown as Json,
    inventory.vars,
    inventory.platform,
    inventory.names,
    ...inventory.hosts.map((host) => host.vars),
  ];
  return new Set([...trees.flatMap(namesIn), ...conditionsOf(playbook, platform).flatMap(namesInCondition)]);
}

function conditionsOf({ plays }: LoadedPlaybook, { checks, invariants, wait = [] }: Platform): readonly unknown[] {
  const ofArgs = (module: string, args: Json): readonly unknown[] =>
    (conditionArgs[module] ?? []).map((key) => objectOf(args)[key]);
  return [
    ...Object.values(checks).flatMap(({ that, failIf }) => [that, failIf]),
    ...invariants.map(({ condition }) => condition),
    ...wait.map(({ when }) => when),
    ...plays.flatMap(({ play }) => [
      play.when,
      ...play.steps.flatMap(({ blocks, when, module, args, temporary }) => [
        ...blocks.map((block) => block.when),
        when,
        ...ofArgs(module, args),
        ...(temporary === undefined ? [] : ofArgs(temporary.module, temporary.args)),
      ]),
    ]),
  ];
}

const namesInCondition = (condition: unknown): readonly string[] => expressionsOf(condition).flatMap(namesInExpression);

/** The names of an expression; of one that cannot be parsed, none. */
export function namesInExpression(text: string): readonly string[] {
  const parsed = parseExpression(text);
  return parsed.ok ? namesInTree(parsed.ast) : [];
}

/** The names of a tree, and after its first part each once more: what is asked of a macro's host stands behind its variable. */
function namesInTree(node: ASTNode): readonly string[] {
  const path = pathOf(node);
  return path === undefined
    ? childrenOf(node).flatMap(namesInTree)
    : [path.join('.'), ...(path.length < 3 ? [] : [path.slice(1).join('.')])];
}

/** What is read of one scope: `heap` of `vars.heap` and `vars.heap.0`. Undefined when the scope is read as a whole. */
export function readOf(scope: string, names: ReadonlySet<string>): ReadonlySet<string> | undefined {
  if (names.has(scope)) return undefined;
  const start = `${scope}.`;
  return new Set(
    [...names].flatMap((name) => (name.startsWith(start) ? [name.slice(start.length).split('.')[0] ?? ''] : [])),
  );
}
