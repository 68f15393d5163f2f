import { EXIT, invalid, Refusal } from '../options/exit.js';
import { ask, isAttended, isYes } from './prompt.js';

interface Confirming {
  readonly question: string;
  /** Said after any answer but yes. */
  readonly declined: string;
  readonly ask?: (question: string) => Promise<string | undefined>;
}

/** Refuses unless the operator says yes, as `-y` does. */
export async function confirm(
  flags: { readonly yes: boolean },
  { question, declined, ask: asked = ask }: Confirming,
): Promise<void> {
  mustBeAttended(flags);
  if (!flags.yes && !isYes(await asked(question))) throw new Refusal(EXIT.refused, `${declined}\n`);
}

/** Refuses where a question is to come and no operator is there. */
export function mustBeAttended({ yes }: { readonly yes: boolean }): void {
  if (!yes && !isAttended()) throw invalid('a confirmation is needed and there is no terminal; use -y');
}
