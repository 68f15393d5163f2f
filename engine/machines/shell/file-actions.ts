import { quoteOne } from '../../lib/quote.js';
import type { Action, Ownership } from '../../terms/action.js';

export type FileAction = Extract<
  Action,
  { do: 'write' | 'directory' | 'attributes' | 'link' | 'copy' | 'move' | 'remove' | 'extract' | 'upload' }
>;

/** The exit status by which a script says that the host is not as the action was decided for; its output says how. */
export const preconditionExit = 90;

/**
 * `$t` is whatever is not in its place yet, and goes when the script ends. Every script first makes the new thing beside the old one and
 * then renames it: who reads meanwhile sees one or the other, never half.
 */
const prelude = `set -eu
refuse() { printf '%s\\n' "$1"; exit ${preconditionExit}; }
t=
trap 'if [ -n "$t" ]; then rm -rf -- "$t"; fi' EXIT
beside() { case $1 in */*) d=\${1%/*} ;; *) d=. ;; esac; d=\${d:-/}; [ -d "$d" ] || refuse "there is no directory $d"; }
`;

/** `chown` comes first: it takes set-user-id bits away. */
function owning({ owner, group, mode }: Ownership, path: string): string {
  const who = `${owner ?? ''}${group === undefined ? '' : `:${group}`}`;
  return `${who === '' ? '' : `chown ${quoteOne(who)} -- ${path}\n`}${mode === undefined ? '' : `chmod ${quoteOne(mode)} -- ${path}\n`}`;
}

export interface NewContent extends Ownership {
  readonly path: string;
  readonly replaces: string;
  /** Shell that puts the bytes into `"$t"`. */
  readonly feed: string;
  /** Shell that ends the script when the bytes in `"$t"` are not all there. */
  readonly check: string;
}

/**
 * A file's new content. A link stays, and the file that it leads to is replaced. Comparing and renaming are two calls on POSIX: between
 * them lies a moment in which another's write is lost. Another hard link keeps the old content.
 */
export const replaceText = (file: NewContent): string => `${prelude}p=${quoteOne(file.path)}
f=$(readlink -f -- "$p") || refuse "there is no directory for $p"
[ ! -d "$f" ] || refuse "$p is a directory"
[ ! -e "$f" ] || [ -f "$f" ] || refuse "$p is no regular file"
beside "$f"
t=$(mktemp -- "$d/.runbook.XXXXXXXXXX")
${file.feed}
${file.check}
if [ -e "$f" ]; then cp -a --attributes-only -- "$f" "$t"; touch -- "$t"; else chmod 0644 -- "$t"; fi
${owning(file, '"$t"')}sync -- "$t"
${file.replaces === 'anything' ? '' : stillIs(file.replaces)}mv -fT -- "$t" "$f"
t=`;

const stillIs = (sha256: string): string => `if [ -e "$f" ]; then h=$(sha256sum <"$f"); h=\${h%% *}; else h=nothing; fi
[ "$h" = ${quoteOne(sha256)} ] || refuse "$p is no longer what it was: $h"
`;

/** The script of an action on files that needs nothing from the controller but its words. */
export function fileActionText(action: Exclude<FileAction, { do: 'write' | 'upload' }>): string {
  switch (action.do) {
    case 'directory':
      return `${prelude}p=${quoteOne(action.path)}
if [ -e "$p" ] || [ -L "$p" ]; then [ -d "$p" ] || refuse "$p is there and no directory"
else mkdir -p ${action.mode === undefined ? '' : `-m ${quoteOne(action.mode)} `}-- "$p"; fi
${owning(action, '"$p"')}`;
    case 'attributes':
      return `${prelude}p=${quoteOne(action.path)}
[ -e "$p" ] || refuse "there is no $p"
${owning(action, '"$p"')}`;
    case 'link':
      return `${prelude}p=${quoteOne(action.path)}
[ -L "$p" ] || [ ! -d "$p" ] || refuse "$p is a directory"
beside "$p"
t=$(mktemp -d -- "$d/.runbook.XXXXXXXXXX")
ln -s -- ${quoteOne(action.target)} "$t/link"
mv -fT -- "$t/link" "$p"`;
    case 'copy':
      return `${prelude}a=${quoteOne(action.from)} b=${quoteOne(action.to)}
[ -e "$a" ] || refuse "there is no $a"
[ ! -d "$b" ] || refuse "$b is there already"
beside "$b"
t=$(mktemp -d -- "$d/.runbook.XXXXXXXXXX")
cp -a -H -T -- "$a" "$t/copy"
mv -fT -- "$t/copy" "$b"`;
    case 'move':
      return `${prelude}a=${quoteOne(action.from)} b=${quoteOne(action.to)}
[ -e "$a" ] || [ -L "$a" ] || refuse "there is no $a"
[ ! -d "$b" ] || refuse "$b is there already"
mv -fT -- "$a" "$b"`;
    case 'remove':
      return action.tree === true
        ? `${prelude}rm -rf --one-file-system -- ${quoteOne(action.path)}`
        : `${prelude}p=${quoteOne(action.path)}
[ -L "$p" ] || [ ! -d "$p" ] || refuse "$p is a directory"
rm -f -- "$p"`;
    case 'extract':
      return extractText(action);
  }
}

/** Unpacked whole beside its place, then each file linked into it, which replaces an old one in one call. */
const extractText = ({
  archive,
  into,
  stripComponents,
}: Extract<Action, { do: 'extract' }>): string => `${prelude}a=${quoteOne(archive)} p=${quoteOne(into)}
[ -f "$a" ] || refuse "there is no archive $a"
mkdir -p -- "$p"
t=$(mktemp -d -- "$p/.runbook.XXXXXXXXXX")
tar --extract --file "$a" --force-local --directory "$t" --no-same-owner --strip-components=${stripComponents ?? 0}
for e in "$t"/* "$t"/.[!.]* "$t"/..?*; do
  if [ -e "$e" ] || [ -L "$e" ]; then cp -alf -- "$e" "$p/"; fi
done`;
