import { quoteOne } from '../../lib/quote.js';
import type { Swapped } from '../../terms/machine.js';
import { failed, type Reached } from '../machine.js';
import type { ProbeOutput } from '../../facts/kind.js';

/**
 * Replaces a file's one line, only where it is the expected one (empty: there is no file). Of two at a time one is first: both take a lock on
 * the folder, which ends with their shell. Prints what it found and did not expect.
 */
export function swapText(file: string, expected: string, wanted: string): string {
  return `set -eu
f=${quoteOne(file)} d=${quoteOne(file.replace(/[^/]*$/, ''))}
${wanted === '' ? '[ -d "$d" ] || { echo swapped; exit; }' : '(umask 077; mkdir -p -- "$d")'}
exec 9<"$d"
if command -v flock >/dev/null; then flock 9; fi
now=; if [ -e "$f" ]; then now=$(cat -- "$f"); fi
if [ "$now" != ${quoteOne(expected)} ]; then printf '\\nfound %s' "$now"; exit; fi
${
  wanted === ''
    ? 'rm -f -- "$f"'
    : `t=$(mktemp -- "$d/.lease.XXXXXXXXXX"); trap 'rm -f -- "$t"' EXIT; printf '%s\\n' ${quoteOne(wanted)} >"$t"; chmod 0644 "$t"; mv -f -- "$t" "$f"`
}
echo swapped`;
}

export function readSwapped(printed: Reached<ProbeOutput>): Swapped {
  if (printed.is === 'failed') return printed;
  const text = Buffer.from(printed.value.stdout, 'latin1').toString('utf8');
  const found = text.lastIndexOf('\nfound ');
  if (found >= 0) return { is: 'found', text: text.slice(found + '\nfound '.length) };
  return text.endsWith('swapped\n')
    ? { is: 'swapped' }
    : failed('denied', text.trim().split('\n').at(-1) ?? 'the file cannot be written');
}
