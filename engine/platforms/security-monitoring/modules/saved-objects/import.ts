import { largeContent, type FileContent, type FileTree } from '../../../../facts/file.js';
import type { Action } from '../../../../terms/action.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import type { HttpAnswer } from '../../../../facts/http.js';
import { jsonOrUndefined, pointer } from '../../../../lib/json.js';
import { need, type Done } from '../../../../terms/fact.js';
import type { At, More } from '../../../../terms/module.js';
import { callOf, tenantOf } from './args.js';
import { linesOf } from './answer.js';
import { allowedNeed, reportedTypes } from './types.js';
import type { SavedObjectsArgs } from './schema.js';

/** Whatever the export left is imported, each file to its tenant. */
export function decideImported(
  args: SavedObjectsArgs,
  now: { readonly files: FileTree; readonly done: Done },
  at: At,
  more: More = {},
): Verdict {
  const { directory } = args;
  if (now.done.is === 'done') return ok('the saved objects were imported in this run', now.done.value);
  const files = (now.files ?? []).flatMap(({ path, type }) => {
    const tenant = type === 'file' ? tenantOf(path) : undefined;
    return tenant === undefined ? [] : [{ tenant, path: `${directory}/${path}` }];
  });
  if (files.length === 0)
    return blocked(`there is no export in ${directory}`, 'by hand: Stack Management, Saved Objects, Import');
  const unread = files.filter(({ path }) => more[path] === undefined);
  if (unread.length > 0)
    return {
      is: 'more',
      needs: {
        ...Object.fromEntries(unread.map(({ path }) => [path, need(at.task.on, largeContent, path)])),
        [ALLOWED]: allowedNeed(args, at),
      },
    };
  const all = files.map(({ tenant, path }) => ({ tenant, text: (more[path] as unknown as FileContent)?.text ?? '' }));
  const { held, dropped } = importable(all, reportedTypes(more[ALLOWED] as unknown as HttpAnswer));
  const warnings = dropped.map(
    (type) =>
      `saved objects of the type ${type} are not imported: this dashboard does not import that type; the export in ${directory} keeps them`,
  );
  const [first, ...rest] = held.map(({ tenant, text }): Action =>
    callOf(args, tenant, at, {
      path: '_import?overwrite=false',
      form: { name: 'file', file: 'export.ndjson', text },
    }),
  );
  if (first === undefined) return ok(`${directory} holds no saved object`, undefined, warnings);
  const objects = held.reduce((sum, { text }) => sum + linesOf(text).length, 0);
  return {
    is: 'change',
    change: {
      summary: `${objects} saved objects of ${held.length} ${held.length === 1 ? 'tenant' : 'tenants'} imported from ${directory}, none overwritten`,
      sign: '↻',
      actions: [first, ...rest],
      touches: [],
      predicts: [],
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

/** No path of a file. */
const ALLOWED = 'allowed';

interface Held {
  readonly tenant: string;
  readonly text: string;
}

/** Less the objects of types that the dashboard no longer has: one of them would fail the whole import, every time. */
function importable(
  all: readonly Held[],
  types: readonly string[] | undefined,
): { readonly held: readonly Held[]; readonly dropped: readonly string[] } {
  const dropped = new Set<string>();
  const isTaken = (line: string): boolean => {
    const type = pointer(jsonOrUndefined(line), '/type');
    if (types === undefined || typeof type !== 'string' || types.includes(type)) return true;
    dropped.add(type);
    return false;
  };
  const held = all.map(({ tenant, text }) => ({ tenant, text: text.split('\n').filter(isTaken).join('\n') }));
  return { held: held.filter(({ text }) => linesOf(text).length > 0), dropped: [...dropped].sort() };
}
