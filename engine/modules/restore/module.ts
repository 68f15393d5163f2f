import { tree } from '../../facts/file.js';
import { blocked, ok, type Verdict } from '../../terms/change.js';
import { need, type Need, type Needs } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import { defineModule, type At } from '../../terms/module.js';
import { asHeld, restoreChange, restoreTouches } from './change.js';
import { customisedTexts, sortCustomised } from './customised.js';
import { differences, entriesOf, stillAsked } from './differs.js';
import type { RestoreArgs } from './schema.js';

/** `kept:PATH`, `now:PATH` and `original:PATH` for each path. */
const treesOf = ({ paths, from, original, state }: RestoreArgs, { task }: At): Needs =>
  Object.fromEntries(
    paths.flatMap((path): [string, Need][] => [
      [`kept:${path}`, need(task.on, tree, `${from}${path}`)],
      ...(state === 'available' ? [] : [[`now:${path}`, need(task.on, tree, path)] as [string, Need]]),
      ...(original === undefined
        ? []
        : [[`original:${path}`, need(task.on, tree, `${original}${path}`)] as [string, Need]]),
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
        'without it no rollback can restore what was there: make the backup, put it there, or name the directory that has it',
      );
    if (args.state === 'available') return ok(`${args.from} holds ${args.paths.join(', ')}`);
    const obstacle = linkInTheWay(args, now) ?? unknownOriginal(args, now);
    if (obstacle !== undefined) return obstacle;
    const differing = args.paths.flatMap((path) =>
      differences(
        { path, backup: entriesOf(now[`kept:${path}`]) ?? [], now: entriesOf(now[`now:${path}`]) ?? [] },
        args.from,
      ),
    );
    const { due, customised } = sortCustomised(args, differing, now);
    const texts = customisedTexts(args, customised);
    if (due.length === 0) return asHeld(args, texts);
    const needs = stillAsked(due, at, more ?? {});
    return needs === undefined
      ? restoreChange(args, { found: due, customised: texts, now, more: more ?? {} }, at)
      : { is: 'more', needs };
  },
});

/** A path that is a link would be written through, to wherever it leads. */
function linkInTheWay({ paths }: RestoreArgs, now: Readonly<Record<string, Json>>): Verdict | undefined {
  const linkAt = (key: string): string | undefined =>
    entriesOf(now[key])?.find((e) => e.path === '.' && e.type === 'link')?.target;
  const path = paths.find((p) => linkAt(`now:${p}`) !== undefined && linkAt(`kept:${p}`) === undefined);
  return path === undefined
    ? undefined
    : blocked(
        `${path} is a link to ${linkAt(`now:${path}`) ?? ''}, which is not written through`,
        'put the directory itself in its place',
      );
}

function unknownOriginal({ paths, original, changed }: RestoreArgs, now: Readonly<Record<string, Json>>) {
  const path = paths.find((p) => (entriesOf(now[`original:${p}`]) ?? []).length === 0);
  if (changed !== 'keep' || original === undefined || path === undefined) return undefined;
  return blocked(
    `which files of ${path} were changed is not known: ${original} does not hold what they were`,
    `put the files there as they once came, or let the new ones replace all: changed: replace`,
  );
}
