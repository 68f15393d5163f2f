import { checkCondition, checkValue } from '../../expressions/check.js';
import { freePaths, type FreePath } from '../../expressions/names.js';
import { parseExpression, type Mistake } from '../../expressions/parse.js';
import { patternMistakes } from '../../expressions/pattern.js';
import type { Tree } from './tree.js';
import type { Mistakes } from '../mistakes.js';
import { judgeName, nothingIn, placeOf, type Vocabulary } from './vocabulary.js';
import { placesOf } from '../yaml/source.js';

/** Names whose keys are declared in the place itself (variables, results of steps before): the library does not know them. */
const DECLARED_HERE: ReadonlySet<string> = new Set(['vars', 'registered']);

/** Names that hold in some places only: an element of a loop. */
const DECLARED_ELSEWHERE: ReadonlySet<string> = new Set(['item']);

/** Reports all that is wrong with an expression, each with its place inside the YAML value. */
export function checkExpression(tree: Tree, text: string, vocabulary: Vocabulary, mistakes: Mistakes): void {
  if (text === '' && hasTag(tree)) return;
  for (const { reason, start, end, hint } of mistakesIn(text, vocabulary)) {
    const word = text.slice(start, end).trim();
    // At the end of the text nothing is left to point at.
    const spot = word === '' ? {} : { word, nth: placesOf(text, word).filter((at) => at < start).length };
    mistakes.at({ source: tree.source, path: tree.path, ...spot }, tree.about + reason, { hint });
  }
}

/** `when: !x` is a tag and an empty text: the tag has been reported. */
function hasTag({ source, path }: Tree): boolean {
  const { line, column } = source.place(path, 'value');
  const text = source.text.split('\n')[line - 1] ?? '';
  // An empty value is pointed at by its key, or stands after its tag.
  return /:\s*![a-z_]/i.test(text.slice(column - 1)) || /![a-z_][\w.]*\s*$/i.test(text.slice(0, column - 1));
}

type Found = Pick<Mistake, 'reason' | 'start' | 'end' | 'hint'>;

/** All that is wrong with an expression, each with its place in the text. `anyType`: it need not be true or false. */
export function mistakesIn(text: string, vocabulary: Vocabulary, anyType = false): readonly Found[] {
  const parsed = parseExpression(text);
  if (!parsed.ok) return [parsed.mistake];
  const { types } = vocabulary;
  const found = types === undefined ? [] : (anyType ? checkValue : checkCondition)(text, types.env, types.names);
  return [
    ...found.filter(({ path = [] }) => !isJudgedHere(path, vocabulary)),
    ...freePaths(parsed.ast).flatMap((name) => undeclared(name, vocabulary)),
    ...patternMistakes(parsed.ast),
  ];
}

/** `vars.X` is judged by the vocabulary, which knows where to declare it, and which names are missed for a reason that was told. */
const isJudgedHere = ([root = '', key, ...rest]: readonly string[], { scopes }: Vocabulary): boolean =>
  key !== undefined && rest.length === 0 && (DECLARED_HERE.has(root) || scopes.get(root)?.has(key) === true);

function undeclared({ path: [root = '', key], start, end }: FreePath, vocabulary: Vocabulary): readonly Found[] {
  const { scopes, barren } = vocabulary;
  const why = barren.get(`${root}.${key ?? ''}`);
  if (why !== undefined) return [{ reason: `"${root}.${key ?? ''}" ${why}`, start, end }];
  if (DECLARED_ELSEWHERE.has(root))
    return scopes.has(root) ? [] : [{ reason: `"${root}" is undefined here`, start, end, hint: placeOf(root) }];
  if (key === undefined || !DECLARED_HERE.has(root)) return [];
  const wrong = judgeName(`${root}.${key}`, vocabulary);
  if (wrong === undefined) return [];
  const { hint = root === 'registered' ? nothingIn(root, key) : undefined } = wrong;
  return [{ reason: `"${root}.${key}" is undefined`, start, end, ...(hint === undefined ? {} : { hint }) }];
}
