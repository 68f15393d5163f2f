import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import { foreignKey, oldCheckKey } from './foreign-keys.js';
import type { LoadContext } from '../load-context.js';
import { checkSchema } from '../schema/check.js';
import { type Finding, nothingOpen } from '../schema/findings.js';
import { stepKey } from './step-load.js';
import { listOf, objectOf, textOf } from '../values.js';
import { checks, playbook as checkPlaybook } from '../validators.generated.js';
import type { Path } from '../yaml/node.js';
import type { Source } from '../yaml/source.js';

/** Checks a file of plays, or of steps, by the schema of playbooks. What a module's arguments are is checked with its step. */
export function checkPlaybookFile(context: LoadContext, source: Source): Promise<void> {
  return checkSchema(
    {
      check: checkPlaybook,
      schema: 'playbook.schema.json',
      source,
      data: source.json,
      base: [],
      open: nothingOpen,
      title: playbookTitle,
      misplaced: (key, at) =>
        isCheck(at) ? (oldCheckKey(key) ?? stepKey(key, `\`${holderOf(at)}\``)) : foreignKey(key),
      about: (at) => aboutStep(source.json, at),
      skip: (finding) => (finding.key !== undefined && holdsModule(finding.path)) || isOldWait(finding),
    },
    context.mistakes,
  );
}

/** Steps, and the maps in them that hold a module: the check of the step reports which one, and what is wrong with it. */
const holdsModule = (path: Path): boolean =>
  path.at(-2) === 'steps' || (path.at(-1) === 'temporary' && path.at(-3) === 'steps');

/** The check that a step has of its own. */
const isCheck = (path: Path): boolean => path.at(-3) === 'steps' && Object.hasOwn(checks, holderOf(path));
const holderOf = (path: Path): string => String(path.at(-1));

/** A check without `that`, because it has the old key: the hint for that key says so. */
const isOldWait = ({ keyword, path, value }: Finding): boolean =>
  keyword === 'required' && isCheck(path) && isObject(value) && Object.hasOwn(value, 'until');

/** Plays and steps are named before the message. */
const playbookTitle = (path: Path): string | undefined =>
  path.length === 0
    ? 'the playbook'
    : (path[0] === 'plays' || path[0] === 'steps') &&
        (path.length === 2 || (path.length % 2 === 0 && path.at(-2) === 'steps'))
      ? ''
      : undefined;

/** The play, block or step that a path leads into, for the beginning of a message. */
export function aboutStep(json: Json, path: Path): string {
  const [kind, play, ...within] = path;
  if (typeof play !== 'number') return '';
  if (kind === 'steps') return aboutInner(objectOf(json), path, textOf(objectOf(json)['playbook']));
  if (kind !== 'plays') return '';
  const written = objectOf(listOf(objectOf(json)['plays'])[play]);
  if (within[0] === 'steps' && typeof within[1] === 'number')
    return aboutInner(written, within, textOf(written['play']));
  if (Object.hasOwn(written, 'import')) return `import ${JSON.stringify(textOf(written['import']) ?? '')}: `;
  const name = textOf(written['play']);
  return name === undefined ? `play ${play + 1}: ` : `play ${JSON.stringify(name)}: `;
}

function aboutInner(holder: JsonObject, [, index, ...rest]: Path, around: string | undefined): string {
  const nth = Number(index);
  const written = objectOf(listOf(holder['steps'])[nth]);
  const block = textOf(written['block']);
  if (rest[0] === 'steps' && typeof rest[1] === 'number') return aboutInner(written, rest, block);
  if (block !== undefined) return `block ${JSON.stringify(block)}: `;
  const name = ['step', 'check', 'wait_for'].map((key) => textOf(written[key])).find((it) => it !== undefined);
  return name === undefined ? `step ${nth + 1} of ${JSON.stringify(around ?? '')}: ` : `step ${JSON.stringify(name)}: `;
}
