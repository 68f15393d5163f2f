/** Words that POSIX shells (and the usual extensions) take for syntax where a command may stand. */
const reserved = new Set(
  'if then else elif fi do done case esac while until for in { } ! function select time coproc [[ ]]'.split(' '),
);

/** Nothing here means anything to a shell, wherever it stands; `=` and `~` do, at times. */
const plain = /^[A-Za-z0-9_@%+:,./-]+$/;

/**
 * One argument as POSIX shell source: the shell reads back exactly these characters, also as a command's name.
 * A NUL character cannot be in an argument: giving one is a bug and throws.
 */
export function quoteOne(text: string): string {
  if (text.includes('\0')) throw new Error('an argument cannot hold a NUL character');
  if (plain.test(text) && !reserved.has(text)) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** An argument vector as one POSIX shell command. */
export const quote = (argv: readonly string[]): string => argv.map(quoteOne).join(' ');
