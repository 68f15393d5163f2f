import { tree, type FileTree } from '../../../../facts/file.js';
import type { HttpAnswer } from '../../../../facts/http.js';
import { sha256 } from '../../../../lib/hash.js';
import type { Action } from '../../../../terms/action.js';
import { ok, type Verdict } from '../../../../terms/change.js';
import { need, type Items } from '../../../../terms/fact.js';
import type { At, More } from '../../../../terms/module.js';
import { callOf, fileOf, SIGNED_IN } from './args.js';
import { tenantsOf } from './tenants.js';
import { allowedNeed, typesOf } from './types.js';
import type { SavedObjectsArgs } from './schema.js';

interface Now {
  readonly files: FileTree;
  readonly items: Items;
  readonly listed?: HttpAnswer;
}

/**
 * A file for each tenant: first all are asked for, then what was answered is written. The first export of a tenant stays, for after an upgrade
 * that stopped in between the objects may differ; with `force` an export of earlier days is replaced by a new one.
 */
export function decideExported(args: SavedObjectsArgs, now: Now, at: At, more?: More): Verdict {
  const { directory } = args;
  const isForced = args.force?.is === true;
  const tenants = tenantsOf(args, now.listed);
  if ('is' in tenants) return tenants;
  const { names } = tenants;
  const there = new Map((now.files ?? []).map((f) => [f.path, f]));
  const textOf = (name: string): string | undefined => {
    const { is, value } = now.items.items[name] ?? {};
    return is === 'pending' && typeof value === 'string' ? value : undefined;
  };
  const due = names.filter((name) => {
    const [saved, text] = [there.get(fileOf(name)), textOf(name)];
    return saved === undefined || (text === undefined ? isForced : saved.sha256 !== sha256(text));
  });
  const answered = due.flatMap((name) => {
    const text = textOf(name);
    return text === undefined ? [] : [{ name, text }];
  });
  const unasked = due.filter((name) => !answered.some((a) => a.name === name));
  // Asked only where something is to be exported: a dashboard that an interrupted upgrade stopped does not answer.
  const isNamed = (args.types ?? []).length > 0;
  if (!isNamed && unasked.length > 0 && more === undefined)
    return { is: 'more', needs: { allowed: allowedNeed(args, at) } };
  const chosen = unasked.length === 0 ? NONE : typesOf(args, more?.['allowed'] as unknown as HttpAnswer | undefined);
  if ('is' in chosen) return chosen;
  const { types } = chosen;
  const warnings = [...tenants.warnings, ...chosen.warnings];
  const requests = unasked.map((name): Action => ({
    ...callOf(args, name, at, { path: '_export', json: { type: types, includeReferencesDeep: true } }),
    items: [name],
  }));
  const writes = answered.flatMap(({ name, text }): readonly Action[] => {
    const path = `${directory}/${fileOf(name)}`;
    const aside = { do: 'move', from: path, to: `${path}.until-${stampOf(at)}` } as const;
    return [
      ...(there.has(fileOf(name)) ? [aside] : []),
      { do: 'write', path, content: text, replaces: 'nothing', mode: '0600' },
    ];
  });
  const [first, ...rest] = requests.length > 0 ? requests : writes;
  if (first === undefined)
    return ok(`the saved objects of ${tenantsText(names)} are in ${directory}`, { tenants: names }, warnings);
  const ref = need(at.task.on, tree, directory);
  return {
    is: 'change',
    change: {
      summary: `saved objects of ${tenantsText(due)} → ${directory}${due.includes(SIGNED_IN) ? '' : " (not users' private ones, which only they can export)"}`,
      sign: '+',
      actions: [first, ...rest],
      touches: [ref],
      predicts: [{ ref, unknown: 'which saved objects there are' }],
      left: requests.length,
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

const NONE = { types: [], warnings: [] };

/** 20261121T211500Z: no import takes a file with that at its end. */
const stampOf = ({ timeMs }: At): string => new Date(timeMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');

const tenantsText = (names: readonly string[]): string =>
  names.map((name) => (name === SIGNED_IN ? "the signed-in user's tenant" : name)).join(', ');
