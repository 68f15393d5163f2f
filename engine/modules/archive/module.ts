import { posix } from 'node:path';
import { file, tree, type FileState, type FileTree } from '../../facts/file.js';
import { archiveListing } from '../../facts/host.js';
import { blocked, ok, type Verdict } from '../../terms/change.js';
import { done, need } from '../../terms/fact.js';
import { defineModule, type At, type More } from '../../terms/module.js';
import { taskKey } from '../../terms/task.js';
import { inPlace, judgeMembers, newTops, whatIsInTheWay, type Member } from './members.js';
import type { Args } from './schema.js';

/** Files whose times are looked at where the listing has no hashes. */
const MOST_LOOKED_AT = 200;

export const archive = defineModule<Args>()({
  name: 'archive',
  needs: ({ archive: path, into }, { task }) => ({
    listing: need(task.on, archiveListing, path),
    packed: need(task.on, file, path),
    there: need(task.on, tree, into),
    done: need(task.on, done, taskKey(task)),
  }),
  touches: ({ into }, { task }) => [
    need(task.on, tree, into),
    need(task.on, file, into),
    need(task.on, done, taskKey(task)),
  ],
  decide(args, now, at, more) {
    const { archive: path, into, strip_components: strip = 0 } = args;
    if (now.done.is === 'done') return ok(`${path} was unpacked by this run`);
    if (now.listing === null) return blocked(`there is no archive ${path}`);
    const judged = judgeMembers(now.listing, strip);
    if (judged.is === 'wrong')
      return blocked(
        `${path} is not unpacked: ${judged.reason}`,
        'nothing of it was unpacked; get the archive anew from where it belongs',
      );
    const { members } = judged;
    const obstacle = whatIsInTheWay(members, now.there);
    if (obstacle !== undefined) return blocked(`${path} is not unpacked into ${into}: ${obstacle}`);
    const state = inPlace(members, now.there);
    if (state === 'yes') return ok(`${into} holds what is in ${path}`);
    const looked = members.filter((m) => m.type === 'file').slice(0, MOST_LOOKED_AT);
    if (state === 'maybe' && more === undefined)
      return {
        is: 'more',
        needs: Object.fromEntries(
          looked.map((m) => [`at:${m.path}`, need(at.task.on, file, posix.join(into, m.path))]),
        ),
      };
    if (state === 'maybe' && now.packed.exists && isSince(looked, more ?? {}, now.packed.changedAtMs))
      return ok(`${into} holds what is in ${path}, unpacked after it came`);
    return change(args, members, now.there, at);
  },
});

/** Unpacking sets a file's change time: those of an older archive changed before this one came. */
const isSince = (members: readonly Member[], more: More, cameAtMs: number): boolean =>
  members.every((m) => {
    const state = more[`at:${m.path}`] as unknown as FileState | undefined;
    return state?.exists === true && state.changedAtMs >= cameAtMs;
  });

function change(
  { archive: path, into, strip_components: strip = 0 }: Args,
  members: readonly Member[],
  there: FileTree,
  at: At,
): Verdict {
  const { on } = at.task;
  const files = members.filter((m) => m.type !== 'directory').length;
  return {
    is: 'change',
    change: {
      summary: `${path} → ${into} (${files} ${files === 1 ? 'file' : 'files'})`,
      sign: there === null || newTops(members, there) !== undefined ? '+' : '~',
      actions: [{ do: 'extract', archive: path, into, ...(strip === 0 ? {} : { stripComponents: strip }) }],
      touches: [need(on, tree, into), need(on, file, into), need(on, done, taskKey(at.task))],
      predicts: [
        { ref: need(on, done, taskKey(at.task)), value: { is: 'done', value: null } },
        { ref: need(on, tree, into), unknown: `what ${path} brings` },
      ],
    },
  };
}
