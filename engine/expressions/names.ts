import type { ASTNode } from '@marcbachmann/cel-js';
import { getOrCreate } from '../lib/get-or-create.js';
import { decode } from './decode.js';
import type { Truth } from '../terms/condition.js';
import { childrenOf, MACROS } from './parse.js';
import { placeOf } from './place.js';
import { HostRef, member, value, wrong, type Outcome, type Value } from './value.js';
import type { At, Locals, Scope } from './at.js';

type Path = readonly string[];
/** Trees are read once and evaluated over and over. */
const pathsBefore = new WeakMap<ASTNode, { readonly path: Path | undefined }>();

/** The path that a node writes, from its root on: `fact.nodes[0].name` is `['fact', 'nodes', '0', 'name']`. Undefined where it is no path. */
export const pathOf = (node: ASTNode): Path | undefined =>
  getOrCreate(pathsBefore, node, () => ({ path: writtenPath(node) })).path;

function writtenPath(node: ASTNode): Path | undefined {
  if (node.op === 'id') return [node.args];
  if (node.op === '.') {
    const base = pathOf(node.args[0]);
    return base === undefined ? undefined : [...base, node.args[1]];
  }
  if (node.op !== '[]') return undefined;
  const [base, index] = [pathOf(node.args[0]), node.args[1]];
  if (base === undefined || index.op !== 'value' || !['bigint', 'string'].includes(typeof index.args)) return undefined;
  return [...base, String(index.args)];
}

/** A named check, of the host at hand or of a macro's host, gives its own reason; undefined where the path names none. */
export function namedCheck(
  path: readonly string[],
  { scope, locals }: Pick<At, 'scope' | 'locals'>,
): Truth | undefined {
  const [root = '', key, ...rest] = path;
  const host = locals.get(root);
  if (host instanceof HostRef && key !== undefined && rest.length === 0) return scope.check(key, host.name);
  return key === undefined && !locals.has(root) ? scope.check(root) : undefined;
}

/** What a path leads to. */
export function resolve(path: readonly string[], scope: Scope, locals: Locals): Outcome {
  const [root = '', ...rest] = path;
  const local = locals.get(root);
  if (local instanceof HostRef) return ofHost(local, rest, scope);
  if (local !== undefined) return dig(local, rest, path);
  if (root === 'hosts' || root === 'all_hosts') return hostsOf(root, rest, scope);
  return found(path, scope);
}

function ofHost(host: HostRef, rest: readonly string[], scope: Scope): Outcome {
  if (rest.length === 0) return value(host);
  return rest[0] === 'name' && rest.length === 1 ? value(host.name) : found(rest, scope, host.name);
}

function hostsOf(root: 'hosts' | 'all_hosts', [name, ...rest]: readonly string[], scope: Scope): Outcome {
  const hosts = name === undefined ? undefined : scope.hosts(root, name);
  if (hosts === undefined) return wrong(`${root}.${name ?? ''} is undefined: the inventory has no such role or group`);
  return dig(
    hosts.map((host) => new HostRef(host)),
    rest,
    [root, name ?? ''],
  );
}

function found(path: readonly string[], scope: Scope, host?: string): Outcome {
  const it = host === undefined ? scope.get(path) : scope.get(path, host);
  if (it === 'missing') return wrong(`${path.join('.')} is undefined`);
  if (!it.known) return { is: 'unknown', because: it.because, dependsOn: it.dependsOn };
  const decoded = decode(scope.typeOf(path), it.value);
  return 'mistake' in decoded ? wrong(`${path.join('.')} ${decoded.mistake}`) : value(decoded.value);
}

function dig(base: Value, rest: readonly string[], path: readonly string[]): Outcome {
  const [key, ...more] = rest;
  if (key === undefined) return value(base);
  if (base instanceof HostRef)
    return wrong(`${path.join('.')}: a host of a list needs a macro, as in hosts.role.all(h, h.name != "")`);
  const next = member(base, key);
  return next === undefined ? wrong(`${path.join('.')} has no ${key}`) : dig(next, more, path);
}

/** A name that an expression needs, with its place in the text. */
export interface FreePath {
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** The names of an expression: the longest paths in it whose root is no variable of a macro. */
export function freePaths(node: ASTNode, bound: readonly string[] = []): readonly FreePath[] {
  const path = pathOf(node);
  if (path !== undefined) {
    if (bound.includes(path[0] ?? '')) return [];
    const { start, end } = placeOf(node);
    return [{ path, start, end }];
  }
  if (node.op !== 'rcall' || !MACROS.has(node.args[0])) return childrenOf(node).flatMap((one) => freePaths(one, bound));
  const [, list, [variable, ...bodies]] = node.args;
  const inner = variable?.op === 'id' ? [...bound, variable.args] : bound;
  return [...freePaths(list, bound), ...bodies.flatMap((one) => freePaths(one, inner))];
}
