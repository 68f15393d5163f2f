import { unifiedDiff } from '../../lib/diff.js';
import { pointer, stableStringify } from '../../lib/json.js';
import { blocked, ok, type Change, type Verdict } from '../../terms/change.js';
import { isObject, type Json } from '../../terms/json.js';
import { isText, showText } from '../../terms/secret.js';
import { questionOf, requestOf, touchesOf } from './args.js';
import { short, type Answered } from '../shared/http-answer.js';
import { maskPair } from '../shared/mask.js';
import { leavesMissing, leavesOf, valueAt, withLeaves, type Leaf } from '../shared/json-state.js';
import type { HttpArgs } from './schema.js';

/** What is wanted of an endpoint against what it answers: nothing to do, or one request that makes it so. */
export function decideState(args: HttpArgs, answer: Answered): Verdict {
  if (answer.status !== 200 && answer.status !== 404)
    return blocked(
      `the present state is not known: GET ${args.wanted?.path ?? args.path} answers ${answer.status}: ${short(answer.text)}`,
    );
  const found = answer.status === 404 ? undefined : pointer(answer.json, args.wanted?.pointer ?? '');
  if (args.method === 'DELETE') return decideAbsent(args, found);
  const wanted = args.wanted?.equals ?? args.json;
  if (wanted === undefined)
    return found === undefined
      ? { is: 'change', change: change(args, answer, [], []) }
      : ok(`${args.path} is there`, found);
  const secret = leavesOf(wanted).find(({ value }) => typeof value !== 'string' && isText(value));
  if (secret !== undefined)
    return blocked(
      `${secret.name} is a secret: it cannot be compared with what is there`,
      'make it a thing done: `done: true`',
    );
  const missing = leavesMissing(wanted, found);
  const over = overriding(args, wanted, answer.json);
  if (missing.length === 0 && over.length === 0 && found !== undefined) return ok(`${args.path} is as wanted`, found);
  return { is: 'change', change: change(args, answer, missing, over) };
}

/** Values that stand in the section that overrides the one sent: as long as they do, what is wanted has no effect. */
function overriding({ cleared_in: section }: HttpArgs, wanted: Json, found: Json): readonly Leaf[] {
  if (section === undefined) return [];
  return leavesOf(wanted).flatMap(({ name }) => {
    const hidden = `${section}.${name.slice(name.indexOf('.') + 1)}`;
    const value = valueAt(found, hidden) ?? null;
    return value === null || name.startsWith(`${section}.`) ? [] : [{ name: hidden, value }];
  });
}

function change(args: HttpArgs, answer: Answered, missing: readonly Leaf[], over: readonly Leaf[]): Change {
  const ref = questionOf(args);
  const at0 = args.wanted?.pointer ?? '';
  const found = answer.status === 404 ? undefined : pointer(answer.json, at0);
  const body = withCleared(args.json, args.cleared_in, over);
  const cleared = over.map(({ name }) => ({ name, value: null }));
  const after = replaceAt(
    answer.status === 404 ? null : answer.json,
    at0,
    withLeaves(found, [...missing, ...cleared], args.path.includes('flat_settings=true')),
  );
  return {
    summary: summaryOf(args, found, [...missing, ...cleared]),
    sign: found === undefined ? '+' : '~',
    diff: diffOf(args, found, [...missing, ...cleared]),
    actions: [requestOf(args, body)],
    touches: touchesOf(args),
    predicts: [{ ref, value: { is: 'answered', status: 200, json: after, text: JSON.stringify(after) } }],
  };
}

function withCleared(json: Json | undefined, section: string | undefined, over: readonly Leaf[]): Json | undefined {
  if (section === undefined || over.length === 0 || !isObject(json)) return json;
  const there = json[section];
  const nulls = Object.fromEntries(over.map(({ name }) => [name.slice(section.length + 1), null]));
  return { ...json, [section]: { ...(isObject(there) ? there : {}), ...nulls } };
}

const show = (value: Json | undefined): string =>
  value === undefined || value === null
    ? 'unset'
    : typeof value === 'string'
      ? value
      : isText(value)
        ? showText(value)
        : stableStringify(value);

function summaryOf(args: HttpArgs, found: Json | undefined, leaves: readonly Leaf[]): string {
  if (found === undefined) return `${args.endpoint} ${args.path} made`;
  const shown = leaves.map(({ name, value }) => {
    const [before, after] = maskPair(`${name}: ${show(valueAt(found, name))}`, `${name}: ${show(value)}`);
    return `${name} ${before.slice(name.length + 2)} → ${after.slice(name.length + 2)}`;
  });
  return shown.length <= 3
    ? `${args.endpoint} ${shown.join(', ')}`
    : `${args.endpoint} ${args.path}: ${leaves.length} values`;
}

function diffOf({ endpoint, path }: HttpArgs, found: Json | undefined, leaves: readonly Leaf[]): string {
  const lines = (of: (leaf: Leaf) => Json | undefined): string =>
    leaves.flatMap((leaf) => ((of(leaf) ?? null) === null ? [] : [`${leaf.name}: ${show(of(leaf))}\n`])).join('');
  const [before, after] = maskPair(
    lines(({ name }) => valueAt(found, name)),
    lines(({ value }) => value),
  );
  return unifiedDiff(`${endpoint} ${path}`, found === undefined ? null : before, after);
}

function decideAbsent(args: HttpArgs, found: Json | undefined): Verdict {
  if (found === undefined) return ok(`${args.path} is not there`);
  const ref = questionOf(args);
  const change: Change = {
    summary: `${args.endpoint} ${args.path} deleted`,
    sign: '-',
    actions: [requestOf(args)],
    touches: touchesOf(args),
    predicts: [{ ref, value: { is: 'answered', status: 404, json: null, text: '' } }],
  };
  return { is: 'change', change };
}

/** The body with another value where a pointer leads. */
function replaceAt(json: Json, path: string, value: Json): Json {
  if (path === '') return value;
  const [head = '', ...rest] = path.slice(1).split('/');
  const key = head.replaceAll('~1', '/').replaceAll('~0', '~');
  const inner = isObject(json) ? json : {};
  return { ...inner, [key]: replaceAt(inner[key] ?? null, rest.length === 0 ? '' : `/${rest.join('/')}`, value) };
}
