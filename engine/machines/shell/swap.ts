import { quoteOne } from '../../lib/quote.js';
import { markerFile, type Swapped } from '../../terms/machine.js';
import { failed, type Reached } from '../machine.js';
import type { ProbeOutput } from '../../facts/kind.js';

/** What is read of a marker, bytes: more than any has. */
const MOST_OF_MARKER = 1024;

/**
 * Replaces a file's one line, only where it is the expected one (empty: there is no file). Of two at a time one is first: both take a lock on
 * the folder, which ends with their shell. Prints the beginning of the marker beside it, and what it found and did not expect.
 */
export function swapText(file: string, expected: string, wanted: string, withMarker = false): string {
  return `set -eu
f=${quoteOne(file)} m=${quoteOne(markerFile(file))} d=${quoteOne(file.replace(/[^/]*$/, ''))}
${wanted === '' ? '[ -d "$d" ] || { echo swapped; exit; }' : '(umask 077; mkdir -p -- "$d")'}
exec 9<"$d"
if command -v flock >/dev/null; then flock 9; fi
if [ -f "$m" ]; then printf '\\nmarker '; dd if="$m" bs=${MOST_OF_MARKER} count=1 2>/dev/null | tr -cd '[:print:]'; echo; fi
now=; if [ -e "$f" ]; then now=$(cat -- "$f"); fi
if [ "$now" != ${quoteOne(expected)} ]; then printf '\\nfound %s' "$now"; exit; fi
${
  wanted === ''
    ? `rm -f -- ${withMarker ? '"$m" ' : ''}"$f"`
    : `t=$(mktemp -- "$d/.lease.XXXXXXXXXX"); trap 'rm -f -- "$t"' EXIT; printf '%s\\n' ${quoteOne(wanted)} >"$t"; chmod 0644 "$t"; mv -f -- "$t" "$f"`
}
echo swapped`;
}

export function readSwapped(printed: Reached<ProbeOutput>): Swapped {
  if (printed.is === 'failed') return printed;
  const text = Buffer.from(printed.value.stdout, 'latin1').toString('utf8');
  // Without characters that end a line: what follows it cannot be feigned.
  const marker = /(?:^|\n)marker (.*)\n/.exec(text)?.[1]?.trimEnd();
  const beside = marker === undefined ? {} : { marker };
  const found = text.lastIndexOf('\nfound ');
  if (found >= 0) return { is: 'found', text: text.slice(found + '\nfound '.length), ...beside };
  return text.endsWith('swapped\n')
    ? { is: 'swapped', ...beside }
    : failed('denied', text.trim().split('\n').at(-1) ?? 'the file cannot be written');
}
