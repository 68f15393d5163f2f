import { expressionsOf, type Condition } from './condition.js';

/** The named checks whose names stand in these texts, and those that they use themselves, through whatever other checks. */
export function checksUsed(
  texts: readonly string[],
  checks: Readonly<Record<string, { readonly that?: Condition }>>,
): readonly string[] {
  const used = new Set(texts.flatMap(wordsOf).filter((word) => Object.hasOwn(checks, word)));
  // What is added on the way is gone through, too.
  for (const name of used)
    for (const word of expressionsOf(checks[name]?.that).flatMap(wordsOf))
      if (Object.hasOwn(checks, word)) used.add(word);
  return [...used];
}

const wordsOf = (text: string): readonly string[] => text.match(/[a-z_]\w*/g) ?? [];
