import { type Json, type JsonObject } from '../terms/json.js';
import { holdsReference } from '../terms/secret.js';
import { applyHelper, takes } from './templates/helpers.js';
import { all, memberOf, type Rendered, type Scope, value, wrong } from './templates/rendered.js';
import { type Expression, type Helper, helpers, isHelper } from './templates/template.js';

export type Found = Rendered | { readonly is: 'missing'; readonly name: string };
/** What a bare name means inside `#each` and `#with`. */
export interface Frame {
  readonly value: Json;
  readonly data: JsonObject;
}
export interface Here {
  readonly scope: Scope;
  /** The blocks that change what a bare name means, innermost last. */
  readonly frames: readonly Frame[];
  /** The text is only shown: what is not known, or cannot stand in a text, is a gap in it. */
  readonly shown?: true;
}

/** A missing name is a mistake everywhere except in `default`. */
export const settled = (found: Found): Rendered =>
  found.is === 'missing' ? wrong(`"{{${found.name}}}" is undefined`) : found;

/** The value of an expression. A missing name is a result of its own, because `default` allows it. */
export function evaluate(what: Expression, here: Here): Found {
  if (what.kind === 'literal') return value(what.value);
  if (what.kind === 'name') return look(what, here);
  if (!isHelper(what.helper)) return wrong(`there is no helper "${what.helper}"; there are ${helpers.join(', ')}`);
  const [least, most] = takes[what.helper];
  if (what.args.length < least || what.args.length > most)
    return wrong(`"${what.helper}" takes ${least === most ? '' : `${least} to `}${most} values`);
  return call(
    what.helper,
    what.args.map((arg) => evaluate(arg, here)),
  );
}

function call(helper: Helper, args: readonly Found[]): Found {
  if (helper === 'default') {
    const [first = wrong('"default" takes 2 values'), otherwise = first] = args;
    return first.is === 'missing' || (first.is === 'value' && first.value === null) ? otherwise : first;
  }
  const known = all(args.map(settled), (values) => values);
  return known.is === 'value' && Array.isArray(known.value)
    ? applyHelper(helper, known.value as readonly Json[])
    : known;
}

/** Roots whose values come from machines: an object there that looks like a reference to a secret is none of ours. */
export const fromMachines: ReadonlySet<string> = new Set([
  'fact',
  'registered',
  'installed',
  'staged',
  'previous',
  'item',
]);

function look(name: Extract<Expression, { kind: 'name' }>, here: Here): Found {
  const missing: Found = { is: 'missing', name: show(name) };
  const root = name.data && name.path[0] === 'root';
  const frame = here.frames.at(-1 - name.up);
  if (name.data && !root) return found(here.frames.at(-1)?.data ?? null, name.path, missing);
  if (!root && frame !== undefined) return found(frame.value, name.path, missing);
  if (!root && name.up > here.frames.length) return missing;
  const path = root ? name.path.slice(1) : name.path;
  const known = path.length === 0 ? 'missing' : here.scope.get(path);
  if (known === 'missing') return missing;
  if (!known.known) return { is: 'unknown', dependsOn: known.dependsOn, because: known.because };
  if (fromMachines.has(path[0] ?? '') && holdsReference(known.value))
    return wrong(`"{{${show(name)}}}" holds "$secret" or "$text": a host's answer cannot name a secret`);
  return value(known.value);
}

function found(within: Json, path: readonly string[], missing: Found): Found {
  const member = memberOf(within, path);
  return member === undefined ? missing : value(member);
}

/** An expression as its writer wrote it, without the braces. */
export function show(what: Expression): string {
  if (what.kind === 'literal') return JSON.stringify(what.value);
  if (what.kind === 'call') return [what.helper, ...what.args.map(show)].join(' ');
  return `${what.data ? '@' : '../'.repeat(what.up)}${what.path.length === 0 ? 'this' : what.path.join('.')}`;
}
