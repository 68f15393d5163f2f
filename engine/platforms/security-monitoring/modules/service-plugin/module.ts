import { content, file } from '../../../../facts/file.js';
import { need, type Needs, type Values } from '../../../../terms/fact.js';
import { defineModule } from '../../../../terms/module.js';
import { recordOf } from './archive.js';
import { decideInstalled, installedNeeds, toolFailure } from './installed.js';
import { pluginTouches } from './paths.js';
import { decideRestored, restoredNeeds } from './restored.js';
import type { Args } from './schema.js';
import { decideStaged, stagedNeeds } from './staged.js';

type Found<F extends (...args: never[]) => Needs> = Values<ReturnType<F>>;

export const servicePlugin = defineModule<Args>()({
  name: 'service-plugin',
  needs: (args, at): Needs =>
    ({ staged: stagedNeeds, installed: installedNeeds, restored: restoredNeeds })[args.state](args, at),
  touches: (args, at) =>
    args.state === 'staged'
      ? [need(at.task.on, file, args.archive ?? ''), need(at.task.on, content, recordOf(args.archive ?? ''))]
      : pluginTouches(args, at),
  decide(args, now, at) {
    switch (args.state) {
      case 'staged':
        return decideStaged(args, now as Found<typeof stagedNeeds>, at);
      case 'installed':
        return decideInstalled(args, now as Found<typeof installedNeeds>, at);
      case 'restored':
        return decideRestored(args, now as Found<typeof restoredNeeds>, at);
    }
  },
  judge: toolFailure,
});
