import type { Needs } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import { defineModule } from '../../terms/module.js';
import { copyNeeds, copyTouches, decideCopy, type CopyArgs, type CopyFound } from '../shared/backup-copy.js';
import { decideTree, treeNeeds, treeTouches, type TreeArgs } from './tree.js';

/** Mirrors schemas/modules/backup.schema.json: one file beside itself, or whole paths into a directory. */
type Args = CopyArgs | TreeArgs;

const isCopy = (args: Args): args is CopyArgs => 'file' in args;

export const backup = defineModule<Args>()({
  name: 'backup',
  summary:
    'Keep a copy of a file or of whole directories as they were before the changes of this run (§9.3.1, §9.4.5, §9.6.1).',
  needs: (args, at): Needs => (isCopy(args) ? copyNeeds(args, at) : treeNeeds(args, at)),
  touches: (args, at) => (isCopy(args) ? copyTouches(args, at) : treeTouches(args, at)),
  decide(args, now, at) {
    const found = now as Readonly<Record<string, Json>>;
    return isCopy(args) ? decideCopy(args, found as unknown as CopyFound, at) : decideTree(args, found, at);
  },
});
