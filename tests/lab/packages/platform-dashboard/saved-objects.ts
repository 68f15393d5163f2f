/** A saved object, as a line of an export has it. */
export interface SavedObject {
  type: string;
  id: string;
  attributes: Record<string, unknown>;
  references: { type: string; id: string; name: string }[];
}

export interface Answer {
  status: number;
  type: string;
  body: string;
}

const json = (status: number, value: unknown): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
});

/** `POST /api/saved_objects/_export`: the objects of the types asked for, a line each, then a line that counts them. */
export function exportObjects(all: readonly SavedObject[], body: string): Answer {
  const { type, excludeExportDetails } = JSON.parse(body === '' ? '{}' : body) as {
    type?: string | string[];
    excludeExportDetails?: boolean;
  };
  if (type === undefined)
    return json(400, {
      statusCode: 400,
      error: 'Bad Request',
      message: '[request body]: Either `type` or `objects` are required.',
    });
  const types = [type].flat();
  const chosen = all.filter((each) => types.includes('*') || types.includes(each.type));
  const details = { exportedCount: chosen.length, missingRefCount: 0, missingReferences: [] };
  const lines = [...chosen, ...(excludeExportDetails ? [] : [details])].map((line) => JSON.stringify(line));
  return { status: 200, type: 'application/ndjson', body: lines.join('\n') };
}

/**
 * `POST /api/saved_objects/_import`: a multipart form with one file. Answers 200 also when objects were refused, with
 * `success: false` and a `conflict` for each that is there already, unless `overwrite` is asked for.
 */
export function importObjects(
  all: readonly SavedObject[],
  form: string,
  overwrite: boolean,
): { answer: Answer; objects: SavedObject[] } {
  const refused = {
    answer: json(415, { statusCode: 415, error: 'Unsupported Media Type', message: 'Unsupported Media Type' }),
    objects: [...all],
  };
  const boundary = /^--([^\r\n]+)\r?\n/.exec(form)?.[1];
  const part = boundary === undefined ? undefined : form.split(`--${boundary}`)[1];
  const file = part?.slice(part.search(/\r?\n\r?\n/)).trim();
  if (file === undefined) return refused;
  const coming = file
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Partial<SavedObject>);
  const objects = coming.filter((each): each is SavedObject => each.type !== undefined && each.id !== undefined);
  const same =
    (a: SavedObject) =>
    (b: SavedObject): boolean =>
      a.type === b.type && a.id === b.id;
  const conflicts = overwrite ? [] : objects.filter((each) => all.some(same(each)));
  const taken = objects.filter((each) => !conflicts.includes(each));
  const errors = conflicts.map(({ type, id }) => ({ type, id, error: { type: 'conflict' } }));
  return {
    answer: json(200, {
      successCount: taken.length,
      success: errors.length === 0,
      ...(taken.length > 0 ? { successResults: taken.map(({ type, id }) => ({ type, id, meta: {} })) } : {}),
      ...(errors.length > 0 ? { errors } : {}),
    }),
    objects: [...all.filter((each) => !taken.some(same(each))), ...taken],
  };
}
