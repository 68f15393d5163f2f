import { blocked } from '../../terms/change.js';
import type { JsonObject } from '../../terms/json.js';
import { defineModule } from '../../terms/module.js';
import { mapTexts } from '../../terms/secret.js';
import { secretNeeds, secretValues, whyNotWritten } from '../shared/secret-values.js';
import { asIn, settleText, textNeeds, textTouches, whyNoText } from '../shared/text-file.js';
import { mergeYaml } from './merge.js';
import type { Args } from './schema.js';

export const yamlMerge = defineModule<Args>()({
  name: 'yaml-merge',
  needs: ({ path, set = {} }, { task }) => ({ ...secretNeeds(task.on, set), ...textNeeds(task.on, path) }),
  touches: ({ path }, { task }) => textTouches(task.on, path),
  decide(args, now, at) {
    const { path, set = {}, remove = [], only_missing: onlyMissing = false, create = false } = args;
    const unfit = whyNoText(path, now);
    if (unfit !== undefined) return unfit;
    if (now.text === null && !create)
      return blocked(`there is no file ${path}`, 'is the package installed? create: true makes it');
    const encoding = now.text?.encoding ?? 'utf8';
    const secrets = secretValues(set, now);
    const unwritten = whyNotWritten(secrets, 'YAML');
    if (unwritten !== undefined) return unwritten;
    const merged = mergeYaml(now.text?.text ?? '', {
      set: mapTexts(set, (t) => asIn(encoding, secrets.text(t))) as JsonObject,
      remove,
      onlyMissing,
    });
    if (merged.is === 'wrong') return blocked(secrets.hide(`${path}: ${merged.reason}`), merged.hint);
    const summary = `${path}: ${merged.notes.join(', ') || 'empty'}`;
    const because = `${path} says what it should`;
    return settleText({ path, now, text: merged.text, encoding, ownership: args, summary, because, secrets }, at);
  },
});
