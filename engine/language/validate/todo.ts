import { isObject, type Json } from '../../terms/json.js';
import type { Mistakes } from '../mistakes.js';
import type { Path } from '../yaml/node.js';
import type { Source } from '../yaml/source.js';

const TODO = /^TODO\b:?\s*/;

/** A role that is still to be chosen may be any: no host is said to lack one, and no role to have too few hosts. */
export const hasOpenRole = ({ roles }: { readonly roles: readonly string[] }): boolean =>
  roles.some((role) => TODO.test(role));

/** Reports each value that is still to be written, unless the file is a draft; nothing else is said of it afterwards. */
export function reportTodos(source: Source, mistakes: Mistakes, draft: boolean): void {
  for (const { path, text } of todosIn(source.json, [])) {
    if (draft) {
      mistakes.silence(source, path);
      continue;
    }
    const wanted = text.replace(TODO, '');
    const place = source.place(path, 'value');
    const hint = wanted === '' ? {} : { hint: `write ${wanted}` };
    mistakes.add([{ file: source.file, ...place, message: `${path.join('.')} is not filled in`, ...hint }]);
  }
}

function* todosIn(json: Json, path: Path): Generator<{ readonly path: Path; readonly text: string }> {
  if (typeof json === 'string' && TODO.test(json)) yield { path, text: json };
  else if (Array.isArray(json))
    for (const [i, item] of (json as readonly Json[]).entries()) yield* todosIn(item, [...path, i]);
  else if (isObject(json)) for (const [key, value] of Object.entries(json)) yield* todosIn(value, [...path, key]);
}
