import { posix } from 'node:path';
import { escapePattern } from '../lib/escape-pattern.js';

/** What maintainer scripts may do to a file: nothing, give it this owner, alter its owner or mode somehow, or write it. */
export type ScriptsOn =
  | { readonly is: 'nothing' | 'attributes' | 'content' }
  | { readonly is: 'owner'; readonly owner: string; readonly group?: string };

/**
 * Reads the scripts of a package for what they may do to a file. Careful, not clever: a command that names the file, or a pattern that fits
 * it, may write it, unless it is known only to look or to give owner and mode. A program of a package's own, which is not looked into, may
 * write any file; one of the system is given what it is to write.
 */
export function scriptsOn(scripts: readonly string[], path: string): ScriptsOn {
  const effects = scripts.flatMap((script) => commandsOf(script).map((command) => effectOf(command, path)));
  const worst = (['content', 'attributes', 'owner'] as const).find((is) => effects.some((e) => e.is === is));
  const owners = effects.filter((e) => e.is === 'owner');
  if (worst !== 'owner') return { is: worst ?? 'nothing' };
  const [one = { is: 'attributes' }] = owners;
  return owners.every((other) => JSON.stringify(other) === JSON.stringify(one)) ? one : { is: 'attributes' };
}

const LABELS = /^(?:(?:if|then|elif|else|do|while|until|!|\{|\(|[\w"*|.-]+\))\s+)+/;
const ASSIGNMENTS = /^(?:(?:export|readonly|local)\s+)?\w+=[^\s]*$/;

/** A script's commands, without comments, with continued lines joined and variables that were given a plain text replaced by it. */
function commandsOf(script: string): readonly string[] {
  const values = new Map<string, string>();
  const expand = (text: string): string =>
    text.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (all, a?: string, b?: string) => values.get(a ?? b ?? '') ?? all);
  return script
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => !line.trim().startsWith('#'))
    .flatMap((line) => line.split(/;|&&|\|\|?/))
    .flatMap((part) => {
      const command = expand(part.trim().replace(LABELS, ''));
      if (!ASSIGNMENTS.test(command)) return [command];
      const [, name = '', value = ''] = /(\w+)=(.*)$/.exec(command) ?? [];
      values.set(name, value.replaceAll(/["']/g, ''));
      return [];
    });
}

/** Called by its path, which is not where the system's programs are. */
const OWN_PROGRAM = /^\/(?!(?:usr\/(?:local\/)?)?s?bin\/)/;
/** Without a redirection these leave what a file holds, and its owner and mode, as they are. */
const LOOKS = new Set(
  '[ [[ test ls stat cmp grep diff sha256sum md5sum echo printf restorecon chcon cd mkdir useradd adduser usermod'.split(
    ' ',
  ),
);
const GIVES = new Set(['chown', 'chgrp', 'chmod', 'setfacl']);
/** Of a directory: its removal is a purge's. */
const SPARES = new Set(['rm', 'rmdir', 'for']);

function effectOf(command: string, path: string): ScriptsOn {
  const words = command.replaceAll(/["']/g, '').split(/\s+/);
  const [program = ''] = words;
  if (OWN_PROGRAM.test(program)) return { is: 'content' };
  const isNamed = names(command, posix.basename(path)) || words.some((w) => isPatternOf(w, path));
  const isBelow = words.some((w) => w.startsWith('/') && path.startsWith(w.endsWith('/') ? w : `${w}/`));
  if (!isNamed && !isBelow) return { is: 'nothing' };
  if (/(?:^|[^&])>(?!\s*(?:\/dev\/null|&))/.test(command)) return { is: 'content' };
  if (LOOKS.has(program)) return { is: 'nothing' };
  if (GIVES.has(program)) return isNamed || isRecursive(words) ? given(program, words) : { is: 'nothing' };
  return { is: !isNamed && SPARES.has(program) ? 'nothing' : 'content' };
}

const isRecursive = (words: readonly string[]): boolean => words.some((w) => /^-\w*R|^--recursive$/.test(w));

/** `chown -R USER:GROUP …` gives what it says; any other is not followed. */
function given(program: string, words: readonly string[]): ScriptsOn {
  const said = words.slice(1).find((w) => !w.startsWith('-')) ?? '';
  const [, owner, group] = /^([a-z_][\w-]*)(?::([a-z_][\w-]*))?$/.exec(said) ?? [];
  if (program !== 'chown' || owner === undefined) return { is: 'attributes' };
  return { is: 'owner', owner, ...(group === undefined ? {} : { group }) };
}

/** The name itself or what is made of it (`.bak`, `.rpmnew`); not another that begins with it, nor its directory `.d`. */
const names = (command: string, name: string): boolean =>
  new RegExp(`${escapePattern(name)}(?![\\w-]|\\.d(?!\\w))`).test(command);

/** A pattern that fits the path; where a variable stands before it, one that fits the name. */
function isPatternOf(word: string, path: string): boolean {
  if (!/[*?[]/.test(word)) return false;
  const isWhole = word.startsWith('/') && !word.includes('$');
  const [pattern, of] = isWhole ? [word, path] : [posix.basename(word), posix.basename(path)];
  const source = escapePattern(pattern)
    .replaceAll('\\*', '[^/]*')
    .replaceAll(/\\\?|\\\[[^\]]*\\\]/g, '[^/]');
  return new RegExp(`^${source}$`).test(of);
}
