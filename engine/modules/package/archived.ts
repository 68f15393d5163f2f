import {
  packageArchived,
  archivedPackageFile,
  packageSource,
  type PackageSource,
} from '../../facts/package-archived.js';
import { packageStaged } from '../../facts/package-staged.js';
import { blocked, type Change, type Prediction, type Verdict } from '../../terms/change.js';
import { need, type FactRef } from '../../terms/fact.js';
import type { At, More } from '../../terms/module.js';
import { stagedTouches } from './staged.js';
import type { PackageArgs } from './schema.js';

/** A staged package is archived where no cleaning of the cache removes it: its hash first, so that no package is there without one. */
export function decideArchived(args: PackageArgs & { readonly archive_to: string }, at: At, more?: More): Verdict {
  const { name, version, archive_to: directory } = args;
  if (more === undefined) return { is: 'more', needs: { source: need(at.task.on, packageSource, { name, version }) } };
  const source = more['source'] as unknown as PackageSource;
  if (source === null)
    return blocked(`${name} ${version} was in the package manager's cache, and is gone`, 'who cleans it just now?');
  const file = source.path.slice(source.path.lastIndexOf('/') + 1);
  const path = `${directory}/${file}`;
  return {
    is: 'change',
    change: {
      summary: `${name} ${version} → ${directory}`,
      sign: '+',
      actions: [
        { do: 'directory', path: directory, mode: '0700' },
        {
          do: 'write',
          path: `${path}.sha256`,
          content: `${source.sha256}  ${file}\n`,
          replaces: 'anything',
          mode: '0600',
        },
        // Not copied: the host need not have space for it twice.
        { do: 'move', from: source.path, to: path },
      ],
      touches: [...stagedTouches(args, at), ...archivedTouches(args, at)],
      predicts: predicted(args, at),
      left: 1,
    },
  };
}

/** What is downloaded is archived in another round. */
export const thenArchived = (change: Change, args: PackageArgs & { readonly archive_to: string }, at: At): Verdict => ({
  is: 'change',
  change: {
    ...change,
    summary: `${change.summary}; archived in ${args.archive_to}`,
    touches: [...change.touches, ...archivedTouches(args, at)],
    predicts: predicted(args, at),
    left: 2,
  },
});

const predicted = (args: PackageArgs, at: At): readonly Prediction[] => [
  { ref: need(at.task.on, packageStaged, { name: args.name, version: args.version }), value: false },
  { ref: archived(args, at), value: 'whole' },
];

const archived = ({ name, version, archive_to: directory = '' }: PackageArgs, { task }: At): FactRef =>
  need(task.on, packageArchived, { name, version, directory });

export const archivedTouches = (args: PackageArgs, at: At): readonly FactRef[] =>
  args.archive_to === undefined
    ? []
    : [
        archived(args, at),
        need(at.task.on, archivedPackageFile, { name: args.name, version: args.version, directory: args.archive_to }),
      ];
