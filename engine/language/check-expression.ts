import { checkCondition } from '../expressions/check.js';
import { freePaths } from '../expressions/names.js';
import { parseExpression, type Mistake } from '../expressions/parse.js';
import type { Tree } from './check-names.js';
import type { Mistakes } from './mistakes.js';
import { judgeName, type Vocabulary } from './vocabulary.js';
import { placesOf } from './yaml-source.js';

/** Names whose keys are declared in the place itself (parameters, variables, results of steps before): the library does not know them. */
const DECLARED_HERE: ReadonlySet<string> = new Set(['vars', 'param', 'registered', 'endpoint']);

/** Reports all that is wrong with an expression, each with its place inside the YAML value. */
export function checkExpression(tree: Tree, text: string, vocabulary: Vocabulary, mistakes: Mistakes): void {
  const { types } = vocabulary;
  const found = types === undefined ? syntaxOf(text) : checkCondition(text, types.env, types.names);
  for (const { reason, start, end, hint } of [...found, ...undeclared(text, vocabulary)]) {
    const word = text.slice(start, end).trim();
    // At the end of the text nothing is left to point at.
    const spot = word === '' ? {} : { word, nth: placesOf(text, word).filter((at) => at < start).length };
    mistakes.at({ source: tree.source, path: tree.path, ...spot }, tree.about + reason, { hint });
  }
}

function syntaxOf(text: string): readonly Mistake[] {
  const parsed = parseExpression(text);
  return parsed.ok ? [] : [parsed.mistake];
}

function undeclared(
  text: string,
  vocabulary: Vocabulary,
): readonly Pick<Mistake, 'reason' | 'start' | 'end' | 'hint'>[] {
  const parsed = parseExpression(text);
  if (!parsed.ok) return [];
  const groups = [...vocabulary.scopes.keys()].filter((root) => vocabulary.types?.names.roots[root] === 'dyn');
  return freePaths(parsed.ast).flatMap(({ path, start, end }) => {
    const [root = '', key] = path;
    if (key === undefined || !(DECLARED_HERE.has(root) || groups.includes(root))) return [];
    const wrong = judgeName(`${root}.${key}`, vocabulary);
    if (wrong === undefined) return [];
    return [
      {
        reason: `"${root}.${key}" is undefined`,
        start,
        end,
        ...(wrong.hint === undefined ? {} : { hint: wrong.hint }),
      },
    ];
  });
}
