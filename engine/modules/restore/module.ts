import { tree } from '../../facts/file.js';
import { blocked, ok } from '../../terms/change.js';
import { need, type Need, type Needs } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import { defineModule, type At } from '../../terms/module.js';
import { restoreChange, restoreTouches } from './change.js';
import { differences, entriesOf, stillAsked } from './differs.js';
import type { RestoreArgs } from './schema.js';

/** `kept:PATH` and `now:PATH` for each path. */
const treesOf = ({ paths, from, state }: RestoreArgs, { task }: At): Needs =>
  Object.fromEntries(
    paths.flatMap((path): [string, Need][] => [
      [`kept:${path}`, need(task.on, tree, `${from}${path}`)],
      ...(state === 'available' ? [] : [[`now:${path}`, need(task.on, tree, path)] as [string, Need]]),
    ]),
  );

export const restore = defineModule<RestoreArgs>()({
  name: 'restore',
  needs: treesOf,
  touches: (args, at) => (args.state === 'available' ? [] : restoreTouches(args, at)),
  decide(args, found, at, more) {
    const now = found as Readonly<Record<string, Json>>;
    const absent = args.paths.filter((path) => entriesOf(now[`kept:${path}`]) === undefined);
    if (absent.length > 0)
      return blocked(
        `${args.from} holds no ${absent.join(', no ')}`,
        'without it the newer configuration would stay in place: put the backup there, or name the directory that has it',
      );
    if (args.state === 'available') return ok(`${args.from} holds ${args.paths.join(', ')}`);
    const differing = args.paths.flatMap((path) =>
      differences(
        { path, backup: entriesOf(now[`kept:${path}`]) ?? [], now: entriesOf(now[`now:${path}`]) ?? [] },
        args.from,
      ),
    );
    if (differing.length === 0) return ok(`${args.paths.join(', ')}: as ${args.from} holds it`);
    const needs = stillAsked(differing, at, more ?? {});
    return needs === undefined
      ? restoreChange(args, { found: differing, now, more: more ?? {} }, at)
      : { is: 'more', needs };
  },
});
