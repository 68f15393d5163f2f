import { blocked } from '../../terms/change.js';
import { defineModule } from '../../terms/module.js';
import { editAll, editBlock, editLine, editPattern, type Edited } from './edit.js';
import { asIn, settleText, textNeeds, textTouches, whyNoText } from '../shared/text-file.js';
import type { Args } from './schema.js';

export const fileEdit = defineModule<Args>()({
  name: 'file-edit',
  needs: ({ path }, { task }) => textNeeds(task.on, path),
  touches: ({ path }, { task }) => textTouches(task.on, path),
  decide(args, now, at) {
    const { path, create = false } = args;
    const unfit = whyNoText(path, now);
    if (unfit !== undefined) return unfit;
    if (now.text === null && !create) return blocked(`there is no file ${path}`, 'create: true makes it');
    const encoding = now.text?.encoding ?? 'utf8';
    const edited = edit(now.text?.text ?? '', args, (words) => asIn(encoding, words));
    if (edited.is === 'wrong') return blocked(`${path}: ${edited.reason}`, edited.hint);
    return settleText({ path, now, text: edited.text, encoding, ownership: args, because: `${path} is as wanted` }, at);
  },
});

/** All edits in the order: lines, block, replacements; and once more, for what one does another must not undo. */
function edit(text: string, args: Args, as: (words: string) => string): Edited {
  const { lines = [], block, replace = [] } = args;
  const edits = [
    ...lines.map((l) => (t: string) => editLine(t, l.line === undefined ? l : { ...l, line: as(l.line) })),
    ...(block === undefined
      ? []
      : [(t: string) => editBlock(t, block.text === undefined ? block : { ...block, text: as(block.text) })]),
    ...replace.map((r) => (t: string) => editPattern(t, { ...r, with: as(r.with) })),
  ];
  const once = editAll(text, edits);
  const twice = once.is === 'text' ? editAll(once.text, edits) : once;
  if (once.is === 'text' && (twice.is === 'wrong' || twice.text !== once.text))
    return { is: 'wrong', reason: 'its edits contradict each other: a second run would alter the file again' };
  return once;
}
