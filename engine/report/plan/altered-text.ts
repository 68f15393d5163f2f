const SHOWN_CHARACTERS = 60;

/** What was planned of a step and what it is instead, each with its beginning and its end. `names`: what the two are called. */
export const alteredText = (planned: string, instead: string, names: readonly [string, string]): string =>
  `${names[0]}: ${short(planned)}; ${names[1]}: ${short(instead)}`;

/** Long texts are often paths, which differ at their end. */
function short(text: string): string {
  const half = SHOWN_CHARACTERS / 2;
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, half)}…${text.slice(1 - half)}`;
}
