import { quoteOne } from '../../../lib/quote.js';
import { answer } from '../../../facts/answer.js';
import type { HostFact } from '../../../facts/kind.js';

/** A log, the name that its writer gives it when its day is over (as date(1) writes it), and the directory where it is kept. */
export interface RotatedLogQuestion {
  readonly file: string;
  readonly rotated: string;
  readonly directory: string;
}

/** A log whose shipper is stopped, and which is kept by a second name. Inodes are texts; null where there is no such file. */
export interface RotatedLog {
  /** Of the log that its writer writes now. */
  readonly log: string | null;
  /** Of the one that was there when it was kept. */
  readonly kept: string | null;
  /** What the shipper knew when it was stopped is kept too. */
  readonly data: boolean;
  /** Days (`2026-11-22`) that lie wholly between the two. */
  readonly days: readonly RotatedDay[];
}

/** `ready`: it is in the directory already, `there`: as `file`, `missing`: there is neither `file` nor the compressed one (`.gz`). */
export interface RotatedDay {
  readonly day: string;
  readonly is: 'ready' | 'there' | 'missing';
  readonly file: string;
}

/** The log's second name. */
export const copyName = ({ file, directory }: Pick<RotatedLogQuestion, 'file' | 'directory'>): string =>
  `${directory}/${file.slice(file.lastIndexOf('/') + 1)}`;

/**
 * A day's file is known by its first line: of the kept log and of the one that is written now there are files by the day too, and by
 * then the writer may have compressed them.
 */
export const rotatedLog: HostFact<RotatedLogQuestion, RotatedLog> = {
  name: 'rotated-log',
  key: ({ file, rotated, directory }) => JSON.stringify({ file, rotated, directory }),
  sh: (key) => {
    const question = JSON.parse(key) as RotatedLogQuestion;
    return `l=${quoteOne(question.file)} k=${quoteOne(copyName(question))} d=${quoteOne(question.directory)}
printf 'log %s\\nkept %s\\n' "$(stat -c %i -- "$l")" "$(stat -c %i -- "$k")"
[ ! -d "$d/data" ] || echo data
[ -e "$k" ] && ! [ "$k" -ef "$l" ] || exit 0
first() { case $1 in *.gz) gzip -dc -- "$1";; *) cat -- "$1";; esac | head -n 1; }
a=$(first "$k") b=$(first "$l") from=$(date -r "$k" +%F) day=$(date -r "$k" +%F) n=0
while [ "$(date -d "$day" +%Y%m%d)" -lt "$(date +%Y%m%d)" ] && [ $n -lt 400 ]; do
  f=$(date -d "$day 12:00" +${quoteOne(question.rotated)})
  [ -e "$f" ] || ! [ -e "$f.gz" ] || f=$f.gz
  if [ -e "$d/$day.json" ] && ! [ -e "$d/$day.json.gz" ]; then printf 'ready %s %s\\n' "$day" "$f"
  elif [ -e "$f" ]; then c=$(first "$f"); [ "$c" = "$a" ] || [ "$c" = "$b" ] || printf 'there %s %s\\n' "$day" "$f"
  elif [ "$day" != "$from" ]; then printf 'missing %s %s\\n' "$day" "$f"; fi
  day=$(date -d "$day 12:00 1 day" +%F) n=$((n+1))
done
exit 0`;
  },
  parse: ({ stdout }) => {
    const lines = stdout.split('\n').map((line) => line.split(' '));
    const inode = (of: string): string | null => {
      const found = lines.find(([word]) => word === of)?.[1] ?? '';
      return found === '' ? null : found;
    };
    return answer<RotatedLog>({
      log: inode('log'),
      kept: inode('kept'),
      data: lines.some(([word]) => word === 'data'),
      days: lines.flatMap(([is, day = '', ...file]) =>
        is === 'ready' || is === 'there' || is === 'missing' ? [{ day, is, file: file.join(' ') }] : [],
      ),
    });
  },
};
