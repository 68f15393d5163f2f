import { content, file, type FileState } from '../../facts/file.js';
import { packageBrings, type PackageBrings } from '../../facts/package-brings.js';
import type { Prediction, Touch } from '../../terms/change.js';
import { need, type FactRef, type Needs } from '../../terms/fact.js';
import type { At, More } from '../../terms/module.js';
import { originals, predictPath, withSiblings } from './conffiles.js';

/** Of the arguments of `package`, what this is about. */
interface Args {
  readonly name: string;
  readonly version: string;
  readonly changes?: readonly string[];
  readonly conffiles?: 'keep' | 'new';
}

const refsOf = (path: string, { task }: At): readonly FactRef[] => [
  need(task.on, file, path),
  need(task.on, content, path),
];

/** All that a package may alter by altering these: what lies beside them, too. */
export const fileTouches = (paths: readonly string[], at: At): readonly Touch[] =>
  withSiblings(paths).flatMap((path) => refsOf(path, at));

/** What is asked where the package lies staged: what its file brings to the paths that the step names, and what stands there. */
export const filesNeeds = ({ name, changes = [] }: Args, staged: string, { task: { on } }: At): Needs => ({
  brings: need(on, packageBrings, { name, file: staged, paths: originals(changes) }),
  ...Object.fromEntries(originals(changes).map((path) => [`state:${path}`, need(on, file, path)])),
});

/**
 * What becomes of the files that the step names: exactly, by the rules of the host's package manager, where the package lies staged and no
 * script may write them; else it is known after apply. What stays as it is, is not touched.
 */
export function changedFiles(
  args: Args,
  answers: More | undefined,
  at: At,
): { readonly touches: readonly Touch[]; readonly predicts: readonly Prediction[] } {
  const each = originals(args.changes ?? []).map((path) => {
    const predicted = foretold(args, answers, path, at);
    if (typeof predicted !== 'string') return { touches: predicted.map(({ ref }) => ref), predicts: predicted };
    return {
      touches: fileTouches([path], at),
      predicts: refsOf(path, at).map((ref): Prediction => ({ ref, unknown: predicted })),
    };
  });
  return { touches: each.flatMap(({ touches }) => touches), predicts: each.flatMap(({ predicts }) => predicts) };
}

/** What is known, or why it is not. */
function foretold(
  { name, version, conffiles = 'keep' }: Args,
  answers: More | undefined,
  path: string,
  at: At,
): readonly Prediction[] | string {
  const unknown = `what ${name} ${version} brings`;
  if (answers === undefined) return unknown;
  const brings = answers['brings'] as unknown as PackageBrings;
  const state = answers[`state:${path}`] as unknown as FileState;
  const brought = brings.paths[path];
  if (brought === undefined) return unknown;
  if (brought.scripts.is === 'content') return `a script of ${name} ${version}, which may write ${path}`;
  return predictPath({ manager: brings.manager, conffiles, path, brought, state }, at) ?? unknown;
}
