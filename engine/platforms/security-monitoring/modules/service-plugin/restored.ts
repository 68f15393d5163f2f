import { content, file, newDirectory, tree, type FileTree } from '../../../../facts/file.js';
import type { Action } from '../../../../terms/action.js';
import { ok, type Verdict } from '../../../../terms/change.js';
import { need } from '../../../../terms/fact.js';
import type { Json } from '../../../../terms/json.js';
import type { At } from '../../../../terms/module.js';
import { clearing } from './installed.js';
import { pathsOf, pluginTouches } from './paths.js';
import type { Args } from './schema.js';

const backupOf = (args: Args): string => `${args.backup ?? ''}${pathsOf(args).plugin}`;

export const restoredNeeds = (args: Args, { task: { on } }: At) => ({
  now: need(on, tree, pathsOf(args).plugin),
  before: need(on, tree, backupOf(args)),
});

interface Found {
  readonly now: FileTree;
  readonly before: FileTree;
}

/** Replaced as a whole: a file of the newer plug-in beside those of the older one would be loaded, too. */
export function decideRestored(args: Args, { now, before }: Found, at: At): Verdict {
  const { name, backup = '' } = args;
  const { on } = at.task;
  const { plugin, descriptor } = pathsOf(args);
  if (now === null && before === null) return ok(`${backup} holds no plug-in ${name}, and none is there`);
  if (JSON.stringify(now) === JSON.stringify(before)) return ok(`${plugin}: as ${backup} holds it`);
  const removal: readonly Action[] = now === null ? [] : [{ do: 'remove', path: plugin, tree: true }];
  const copy: readonly Action[] = before === null ? [] : [{ do: 'copy', from: backupOf(args), to: plugin }];
  return {
    is: 'change',
    change: {
      summary: before === null ? `plug-in ${name}, which was not there before` : `${backup} → ${plugin}`,
      sign: before === null ? '-' : '~',
      actions: [clearing(args), ...removal, ...copy],
      touches: pluginTouches(args, at),
      predicts: [
        { ref: need(on, tree, plugin), value: before as Json },
        { ref: need(on, file, plugin), value: before === null ? { exists: false } : newDirectory(at.timeMs) },
        before === null
          ? { ref: need(on, content, descriptor), value: null }
          : { ref: need(on, content, descriptor), unknown: `what ${backup} holds` },
      ],
    },
  };
}
