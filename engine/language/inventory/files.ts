import path from 'node:path';
import type { Json, JsonObject } from '../../terms/json.js';
import { isObject } from '../../terms/json.js';
import { findFile } from '../find.js';
import { asksNumber } from './ranges.js';
import { layer, type Layered } from './layers.js';
import { whichFiles } from './which-files.js';
import { displayName, type LoadContext } from '../load-context.js';
import { reportTodos } from '../validate/todo.js';
import { checkSchema } from '../schema/check.js';
import type { Finding } from '../schema/findings.js';
import { inventory as checkInventory, ownKeys } from '../validators.generated.js';
import type { Source } from '../yaml/source.js';

/** The inventory's files, merged part by part, before anything is made of them. */
export interface InventoryParts {
  readonly sources: readonly [Source, ...Source[]];
  readonly platform?: Layered;
  readonly ssh?: Layered;
  readonly vars?: Layered;
  readonly model?: Layered;
  readonly window?: Layered;
  /** The file that asks for the most, where several do. */
  readonly approvals?: Approvals;
  readonly notify: ReadonlyMap<string, Layered>;
  readonly names: ReadonlyMap<string, Layered>;
  readonly endpoints: ReadonlyMap<string, Layered>;
  readonly secrets: ReadonlyMap<string, Layered>;
  readonly groups: ReadonlyMap<string, Layered>;
  /** As written, each with its file: ranges are not expanded yet. */
  readonly hosts: readonly { readonly written: string; readonly source: Source; readonly json: JsonObject }[];
}

interface Approvals {
  readonly source: Source;
  readonly count: number;
}

/** Reads and merges the files; undefined when one of them is no YAML or is not there, which has been told. */
export async function readInventory(
  context: LoadContext,
  named: readonly string[] | undefined,
  optional: boolean,
): Promise<InventoryParts | undefined | 'none'> {
  const { files, from } = whichFiles(named, context.env);
  const sources: Source[] = [];
  let whole = true;
  for (const file of files) {
    const found = await findFile(context, path.resolve(context.cwd, file), [context.cwd]);
    if (found.is === 'read') sources.push(found.source);
    else whole = false;
    if (found.is !== 'missing') continue;
    if (from === 'default' && optional) return 'none';
    const hint =
      from === 'default'
        ? 'name one with -i or RUNBOOK_INVENTORY, or begin with `runbook init`'
        : found.near === undefined
          ? undefined
          : `did you mean "${found.near}"?`;
    context.mistakes.add([
      {
        file: displayName(context.cwd, path.resolve(context.cwd, file)),
        line: 1,
        column: 1,
        length: 1,
        message: 'there is no such inventory',
        ...(hint === undefined ? {} : { hint }),
      },
    ]);
  }
  for (const source of sources) {
    if (isOfAnsible(source.json)) {
      whole = false;
      context.mistakes.at({ source, path: [] }, ...OF_ANSIBLE);
    } else {
      reportTodos(source, context.mistakes, context.draft);
      await checkFile(context, source);
    }
  }
  const [first, ...rest] = sources;
  return first === undefined || !whole ? undefined : partsOf([first, ...rest]);
}

/** The groups of Ansible's inventories, at the top: nothing of such a file is what it would be here. */
const isOfAnsible = (json: Json): boolean =>
  isObject(json) &&
  Object.entries(json).some(
    ([key, group]) =>
      !ownKeys.inventory.includes(key) &&
      isObject(group) &&
      ['hosts', 'children'].some((part) => isObject(group[part])),
  );
const OF_ANSIBLE = [
  'this is an inventory of Ansible',
  {
    hint: 'make an inventory of it: runbook init --ansible FILE -o inventory.yaml',
  },
] as const;

async function checkFile({ mistakes }: LoadContext, source: Source): Promise<void> {
  // The number of a range may stand for any value; a template anywhere else is judged by its names.
  const open = (value: Json, at: readonly (string | number)[]): boolean =>
    typeof value === 'string' && at[0] === 'hosts' && asksNumber(value);
  await checkSchema(
    {
      check: checkInventory,
      schema: 'inventory.schema.json',
      source,
      data: source.json,
      base: [],
      open,
      title: (at) => (at.length === 0 ? 'the inventory' : at.length === 2 && aboutPart(at) !== '' ? '' : undefined),
      about: aboutPart,
      skip: (finding) => isPlainSecret(finding) || isTarget(finding),
    },
    mistakes,
  );
  for (const [name, value] of Object.entries(dig(source.json, ['secrets'])))
    if (typeof value === 'string' || typeof value === 'number')
      mistakes.at({ source, path: ['secrets', name] }, `secret "${name}": must say where its value comes from`, {
        hint: 'such as { env: NAME } or { file: PATH }; remove the value from this file',
        conceal: true,
      });
}

/** Told without the value, which may be the secret itself. */
const isPlainSecret = ({ path, value }: Finding): boolean =>
  path[0] === 'secrets' && path.length === 2 && (typeof value === 'string' || typeof value === 'number');

/** Judged with the platform, which may say how many numbers its versions have (validate/target.ts). */
const isTarget = ({ path, value }: Finding): boolean =>
  path[0] === 'platform' && path[1] === 'target' && (typeof value === 'string' || typeof value === 'number');

const aboutPart = ([part, name]: readonly (string | number)[]): string => {
  const noun = { hosts: 'host', endpoints: 'endpoint', secrets: 'secret', groups: 'group' }[String(part)];
  return noun === undefined || name === undefined ? '' : `${noun} "${name}": `;
};

function partsOf(sources: readonly [Source, ...Source[]]): InventoryParts {
  const single = (key: string): Layered | undefined =>
    sources.reduce<Layered | undefined>((under, source) => addPart(under, source, [key]), undefined);
  const many = (...at: string[]): ReadonlyMap<string, Layered> => {
    const parts = new Map<string, Layered>();
    for (const source of sources) {
      for (const name of Object.keys(dig(source.json, at))) {
        const part = addPart(parts.get(name), source, [...at, name]);
        if (part !== undefined) parts.set(name, part);
      }
    }
    return parts;
  };
  const [platform, ssh, vars, model] = [single('platform'), single('ssh'), single('vars'), single('model')];
  const window = single('window');
  const [approvals] = sources.flatMap(approvalsOf).toSorted((a, b) => b.count - a.count);
  return {
    sources,
    ...(platform === undefined ? {} : { platform }),
    ...(ssh === undefined ? {} : { ssh }),
    ...(vars === undefined ? {} : { vars }),
    ...(model === undefined ? {} : { model }),
    ...(window === undefined ? {} : { window }),
    ...(approvals === undefined ? {} : { approvals }),
    names: many('platform', 'names'),
    endpoints: many('endpoints'),
    secrets: many('secrets'),
    notify: many('notify'),
    groups: many('groups'),
    hosts: sources.flatMap((source) =>
      Object.entries(dig(source.json, ['hosts'])).map(([written, json]) => ({
        written,
        source,
        json: isObject(json) ? json : {},
      })),
    ),
  };
}

/** Any other value was reported by the schema. */
function approvalsOf(source: Source): readonly Approvals[] {
  const count = dig(source.json, [])['approvals'];
  return typeof count === 'number' ? [{ source, count }] : [];
}

/** A part that is there but empty (`web-1:`) is an empty map; anything else that is no map has been told. */
function addPart(under: Layered | undefined, source: Source, at: readonly string[]): Layered | undefined {
  const holder = dig(source.json, at.slice(0, -1));
  const last = at.at(-1) ?? '';
  if (!Object.hasOwn(holder, last)) return under;
  const json = holder[last];
  return layer(under, { source, path: at, json: isObject(json) ? json : {} });
}

function dig(json: Json, at: readonly string[]): JsonObject {
  let value: Json | undefined = json;
  for (const step of at) value = isObject(value) ? value[step] : undefined;
  return isObject(value) ? value : {};
}
