import { content, file, tree } from '../../../../facts/file.js';
import type { Touch } from '../../../../terms/change.js';
import { need } from '../../../../terms/fact.js';
import type { At } from '../../../../terms/module.js';
import { DESCRIPTORS } from '../plugins/descriptor.js';
import { installedRecord } from './archive.js';
import type { Args } from './schema.js';

export function pathsOf({ of, name, directory = '' }: Args) {
  const plugin = `${directory}/${name}`;
  return {
    plugin,
    descriptor: `${plugin}/${DESCRIPTORS[of].file}`,
    /** The indexer's tool leaves it when its removal is interrupted, and the indexer does not start then. */
    removing: `${directory}/.removing-${name}`,
  };
}

export function pluginTouches(args: Args, { task: { on } }: At): readonly Touch[] {
  const { plugin, descriptor, removing } = pathsOf(args);
  return [
    need(on, content, descriptor),
    need(on, file, plugin),
    need(on, tree, plugin),
    need(on, file, removing),
    need(on, file, args.directory ?? ''),
    need(on, tree, args.directory ?? ''),
    ...(args.archive === undefined ? [] : [need(on, content, installedRecord(args.archive))]),
  ];
}
