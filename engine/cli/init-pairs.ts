import { invalid } from './options/exit.js';

/** `NAME=VALUE` of an option that is repeated. `wrongName` says why there is no such name. */
export function pairs(
  flag: string,
  written: readonly string[],
  wrongName: (name: string) => string | undefined,
  wrongValue: (name: string, value: string) => string | undefined = () => undefined,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const text of written) {
    const at = text.indexOf('=');
    if (at < 1 || at === text.length - 1) throw invalid(`--${flag}: "${text}" is not NAME=VALUE`);
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    const second = /^(.*?),\s*(([\w.-]+)=.*)$/s.exec(value);
    // A URL may have a comma and an equals sign of its own.
    if (second !== null && wrongName(second[3] ?? '') === undefined)
      throw invalid(
        `--${flag}: "${text}" has two names; repeat the option: --${flag} ${name}=${second[1] ?? ''} --${flag} ${second[2] ?? ''}`,
      );
    const mistake = wrongName(name) ?? wrongValue(name, value);
    if (mistake !== undefined) throw invalid(`--${flag}: ${mistake}`);
    found.set(name, value);
  }
  return found;
}
