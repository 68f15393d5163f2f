/** Takes the secrets that it knows out of a text. */
type Redact = (text: string) => string;

const known = new Set<Redact>();

/** From now on what this knows stands in no trace of this process. */
export const hideInTraces = (redact: Redact): void => void known.add(redact);

/** More is of no use to whoever reads it: the message of an error may hold all that it failed on. */
const LONGEST = 64 * 1024;
/** Of the message alone: more would hide what stands beside it. */
const LONGEST_MESSAGE = 200;

/** The trace of an error, without secrets: there is no other text of a trace, on a screen or in a file. */
export const traceText = (error: unknown): string =>
  withoutSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, LONGEST);

/** The kind of an error and its message, on one line, without secrets. */
export const errorLine = (error: unknown): string =>
  withoutSecrets(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    .slice(0, LONGEST)
    .replace(/\s+/g, ' ')
    .slice(0, LONGEST_MESSAGE);

/** Before a text is cut: half of a secret would not be found. */
const withoutSecrets = (text: string): string => [...known].reduce((rest, redact) => redact(rest), text);
