import { content, file, tree, type FileContent } from '../../facts/file.js';
import { unifiedDiff } from '../../lib/diff.js';
import type { Action } from '../../terms/action.js';
import { ok, type Touch, type Verdict } from '../../terms/change.js';
import { need } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import type { At, More } from '../../terms/module.js';
import { maskPair } from '../shared/mask.js';
import { entriesOf, isSmall, type Difference, type Entries } from './differs.js';
import type { RestoreArgs } from './schema.js';

interface Found {
  readonly found: readonly Difference[];
  /** Warnings of the operator's own files among them. */
  readonly customised: readonly string[];
  readonly now: Readonly<Record<string, Json>>;
  readonly more: More;
}

export const restoreTouches = ({ paths }: RestoreArgs, { task }: At): readonly Touch[] =>
  paths.flatMap((path) => [need(task.on, tree, path), need(task.on, file, path), need(task.on, content, path)]);

/** Nothing is to be put in place. Without warnings of its own the result has those of the change that led to it. */
export const asHeld = ({ paths, from }: RestoreArgs, warnings: readonly string[]): Verdict =>
  ok(`${paths.join(', ')}: as ${from} holds it`, undefined, ...(warnings.length === 0 ? [] : [warnings]));

/** Puts back what differs, file by file; a file that may not shrink and would is left, with a warning. */
export function restoreChange(args: RestoreArgs, { found, customised, now, more }: Found, at: At): Verdict {
  const left = found.filter((d) => wouldShrink(args, d, more));
  const due = found.filter((d) => !left.includes(d));
  const warnings = [
    ...customised,
    ...left.map(
      (d) =>
        `${d.path} is left as it is: it has more entries than ${d.source} (${linesOf(more, d.path)}, not ${linesOf(more, d.source)})`,
    ),
  ];
  const [first, ...rest] = due.flatMap(actionsOf);
  if (first === undefined) return asHeld(args, warnings);
  return {
    is: 'change',
    change: {
      summary: `${args.from} → ${due
        .map((d) => d.path)
        .slice(0, SHOWN)
        .join(', ')}${due.length > SHOWN ? ` and ${due.length - SHOWN} more` : ''}`,
      sign: '~',
      diff: due.map((d) => diffOf(d, more)).join(''),
      actions: [first, ...rest],
      touches: restoreTouches(args, at),
      predicts: args.paths.map((path) => ({
        ref: need(at.task.on, tree, path),
        value: merged(entriesOf(now[`now:${path}`]) ?? [], path, due),
      })),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

const SHOWN = 5;

function wouldShrink({ skip_if_longer: guarded = [] }: RestoreArgs, d: Difference, more: More): boolean {
  if (!guarded.includes(d.path) || d.rightsOnly || d.now?.type !== 'file') return false;
  const [here, backup] = [linesOf(more, d.path), linesOf(more, d.source)];
  // One too large to be read is not put over.
  return here === undefined || backup === undefined || here > backup;
}

/** Lines that are not empty; undefined when the file was not read. */
function linesOf(more: More, path: string): number | undefined {
  const text = more[`text:${path}`] as unknown as FileContent | undefined;
  return text?.text.split('\n').filter((line) => line.trim() !== '').length;
}

function actionsOf({ path, source, backup, now, rightsOnly }: Difference): readonly Action[] {
  const rights = { owner: backup.owner, group: backup.group, mode: backup.mode };
  const away: readonly Action[] =
    now !== undefined && now.type !== backup.type
      ? [{ do: 'remove', path, ...(now.type === 'directory' ? { tree: true } : {}) }]
      : [];
  if (rightsOnly) return [{ do: 'attributes', path, ...rights }];
  if (backup.type === 'directory') return [...away, { do: 'directory', path, ...rights }];
  if (backup.type === 'link') return [...away, { do: 'link', path, target: backup.target ?? '' }];
  return [...away, { do: 'copy', from: source, to: path }];
}

/** Secrets hidden; a file that is no small text is named only. */
function diffOf({ path, source, backup, now, rightsOnly }: Difference, more: More): string {
  if (rightsOnly)
    return `${path}: ${now?.owner ?? ''}:${now?.group ?? ''} ${now?.mode ?? ''} → ${backup.owner}:${backup.group} ${backup.mode}\n`;
  if (backup.type !== 'file') return `${path}: ${backup.type}\n`;
  const textAt = (at: string): string | undefined =>
    isSmall(more, at) ? ((more[`text:${at}`] as unknown as FileContent)?.text ?? undefined) : undefined;
  const [after, before] = [textAt(source), now?.type === 'file' ? textAt(path) : ''];
  if (after === undefined || before === undefined || after.includes('\0') || before.includes('\0'))
    return `${path}: too large to show, or no text\n`;
  const [old, young] = maskPair(before, after);
  return unifiedDiff(path, now?.type === 'file' ? old : null, young);
}

/** The tree as it will be: what differs as the backup has it, all the rest as it is. */
function merged(now: Entries, path: string, due: readonly Difference[]): Entries {
  const below = due.filter((d) => d.path === path || d.path.startsWith(`${path}/`));
  const replaced = new Set(below.map((d) => d.backup.path));
  const gone = below
    .filter((d) => d.now?.type === 'directory' && d.backup.type !== 'directory')
    .map((d) => `${d.backup.path}/`);
  const rest = now.filter((e) => !replaced.has(e.path) && !gone.some((g) => e.path.startsWith(g)));
  return [...rest, ...below.map((d) => d.backup)].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
