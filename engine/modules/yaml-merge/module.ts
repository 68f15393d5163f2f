import { blocked } from '../../terms/change.js';
import type { Json, JsonObject } from '../../terms/json.js';
import { isObject } from '../../terms/json.js';
import { defineModule } from '../../terms/module.js';
import { asIn, settleText, textNeeds, textTouches, whyNoText } from '../shared/text-file.js';
import { mergeYaml } from './merge.js';
import type { Args } from './schema.js';

export const yamlMerge = defineModule<Args>()({
  name: 'yaml-merge',
  needs: ({ path }, { task }) => textNeeds(task.on, path),
  touches: ({ path }, { task }) => textTouches(task.on, path),
  decide(args, now, at) {
    const { path, set = {}, remove = [], only_missing: onlyMissing = false, create = false } = args;
    const unfit = whyNoText(path, now);
    if (unfit !== undefined) return unfit;
    if (now.text === null && !create)
      return blocked(`there is no file ${path}`, 'is the package installed? create: true makes it');
    if (holdsSecret(set))
      return blocked('a secret cannot be merged into a YAML file', 'write the whole file with the module `file`');
    const encoding = now.text?.encoding ?? 'utf8';
    const merged = mergeYaml(now.text?.text ?? '', {
      set: inEncoding(set, (t) => asIn(encoding, t)) as JsonObject,
      remove,
      onlyMissing,
    });
    if (merged.is === 'wrong') return blocked(`${path}: ${merged.reason}`, merged.hint);
    const summary = `${path}: ${merged.notes.join(', ') || 'empty'}`;
    return settleText(
      { path, now, text: merged.text, encoding, ownership: args, summary, because: `${path} says what it should` },
      at,
    );
  },
});

const holdsSecret = (value: Json): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([k, v]: [string, Json]) => k === '$secret' || k === '$text' || holdsSecret(v));

const inEncoding = (value: Json, as: (text: string) => string): Json => {
  if (typeof value === 'string') return as(value);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, inEncoding(v, as)]));
  return Array.isArray(value) ? value.map((v: Json) => inEncoding(v, as)) : value;
};
