import type { Needs } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import { defineModule } from '../../terms/module.js';
import { copyNeeds, copyTouches, decideCopy, type CopyFound } from '../shared/backup-copy.js';
import { decideTree, treeNeeds, treeTouches } from './tree.js';

import type { CopyArgs, TreeArgs } from './schema.js';

type Args = CopyArgs | TreeArgs;

const isCopy = (args: Args): args is CopyArgs => 'file' in args;

export const backup = defineModule<Args>()({
  name: 'backup',
  needs: (args, at): Needs => (isCopy(args) ? copyNeeds(args, at) : treeNeeds(args, at)),
  touches: (args, at) => (isCopy(args) ? copyTouches(args, at) : treeTouches(args, at)),
  decide(args, now, at) {
    const found = now as Readonly<Record<string, Json>>;
    return isCopy(args) ? decideCopy(args, found as unknown as CopyFound, at) : decideTree(args, found, at);
  },
});
