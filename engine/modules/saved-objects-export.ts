import { tree, type FileTree } from '../facts/file.js';
import type { HttpAnswer } from '../facts/http.js';
import type { Action } from '../terms/action.js';
import { ok, type Verdict } from '../terms/change.js';
import { need, type Items } from '../terms/fact.js';
import type { At } from '../terms/module.js';
import { callOf, fileOf, SIGNED_IN, type SavedObjectsArgs } from './saved-objects-args.js';
import { tenantsOf } from './saved-objects-tenants.js';

interface Now {
  readonly files: FileTree;
  readonly items: Items;
  readonly listed?: HttpAnswer;
}

/**
 * A file for each tenant: first all are asked for, then what was answered is written. The first export of a tenant stays: after an upgrade that
 * stopped half-way the objects may be other ones.
 */
export function decideExported(args: SavedObjectsArgs, now: Now, at: At): Verdict {
  const { directory, types = [] } = args;
  const tenants = tenantsOf(args, now.listed);
  if ('is' in tenants) return tenants;
  const { names, warnings } = tenants;
  const there = new Set((now.files ?? []).map(({ path }) => path));
  const due = names.filter((name) => !there.has(fileOf(name)));
  const answered = due.flatMap((name) => {
    const { is, value } = now.items.items[name] ?? {};
    return is === 'pending' && typeof value === 'string' ? [{ name, text: value }] : [];
  });
  const unasked = due.filter((name) => !answered.some((a) => a.name === name));
  const requests = unasked.map((name): Action => ({
    ...callOf(args, name, at, { path: '_export', json: { type: types, includeReferencesDeep: true } }),
    items: [name],
  }));
  const writes = answered.map(({ name, text }): Action => ({
    do: 'write',
    path: `${directory}/${fileOf(name)}`,
    content: text,
    replaces: 'nothing',
    mode: '0600',
  }));
  const [first, ...rest] = requests.length > 0 ? requests : writes;
  if (first === undefined)
    return ok(`the saved objects of ${told(names)} are in ${directory}`, { tenants: names }, warnings);
  const ref = need(at.task.on, tree, directory);
  return {
    is: 'change',
    change: {
      summary: `saved objects of ${told(due)} → ${directory}${due.includes(SIGNED_IN) ? '' : " (not users' private ones, which nobody else can export)"}`,
      sign: '+',
      actions: [first, ...rest],
      touches: [ref],
      predicts: [{ ref, unknown: 'which saved objects there are' }],
      undo: { nothing: 'a copy is in nobody’s way' },
      left: requests.length,
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

const told = (names: readonly string[]): string =>
  names.map((name) => (name === SIGNED_IN ? "the signed-in user's tenant" : name)).join(', ');
