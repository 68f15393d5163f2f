import { blocked } from '../../terms/change.js';
import { defineModule } from '../../terms/module.js';
import type { Text } from '../../terms/secret.js';
import { editAll, editBlock, editLine, editPattern, type Edited } from './edit.js';
import { secretNeeds, secretValues, type SecretValues } from '../shared/secret-values.js';
import { asIn, settleText, textNeeds, textTouches, whyNoText } from '../shared/text-file.js';
import type { Args } from './schema.js';

export const fileEdit = defineModule<Args>()({
  name: 'file-edit',
  needs: (args, { task }) => ({ ...secretNeeds(task.on, args), ...textNeeds(task.on, args.path) }),
  touches: ({ path }, { task }) => textTouches(task.on, path),
  decide(args, now, at) {
    const { path, create = false } = args;
    const unfit = whyNoText(path, now);
    if (unfit !== undefined) return unfit;
    if (now.text === null && !create) return blocked(`there is no file ${path}`, 'create: true makes it');
    const encoding = now.text?.encoding ?? 'utf8';
    const secrets = secretValues(args, now);
    const edited = edit(now.text?.text ?? '', args, secrets, (words) => asIn(encoding, words));
    if (edited.is === 'wrong') return blocked(secrets.hide(`${path}: ${edited.reason}`), edited.hint);
    const because = `${path} is as wanted`;
    return settleText({ path, now, text: edited.text, encoding, ownership: args, because, secrets }, at);
  },
});

/** All edits in the order: lines, block, replacements; and once more, for what one does another must not undo. */
function edit(text: string, args: Args, secrets: SecretValues, as: (words: string) => string): Edited {
  const { lines = [], block, replace = [] } = args;
  const met = (of: Text): string => as(secrets.text(of));
  const edits = [
    ...lines.map(({ line, ...l }) => (t: string) => {
      const whole = line === undefined ? undefined : met(line);
      if (whole !== undefined && /[\r\n]/.test(whole)) return ofSeveralLines;
      return editLine(t, whole === undefined ? l : { ...l, line: whole });
    }),
    ...[block ?? []].flat().map(({ text: body, ...b }) => (t: string) => {
      return editBlock(t, body === undefined ? b : { ...b, text: met(body) });
    }),
    // A secret is no pattern: `$1` in it is no group.
    ...replace.map((r) => (t: string) => editPattern(t, { ...r, with: as(secrets.text(r.with, escapeGroups)) })),
  ];
  const once = editAll(text, edits);
  const twice = once.is === 'text' ? editAll(once.text, edits) : once;
  if (once.is === 'text' && (twice.is === 'wrong' || twice.text !== once.text))
    return { is: 'wrong', reason: 'its edits contradict each other: a second run would alter the file again' };
  return once;
}

const escapeGroups = (value: string): string => value.replaceAll('$', '$$$$');

const ofSeveralLines: Edited = { is: 'wrong', reason: 'a secret of several lines is no line', hint: 'use `block`' };
