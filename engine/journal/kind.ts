import { jsonOrUndefined } from '../lib/json.js';
import { isObject } from '../terms/json.js';

/** Whether an inventory has a model: one of its files has the key. By its text, for commands that only name the runs of an inventory. */
export const isOfModel = (texts: readonly string[]): boolean => texts.some(hasModel);

function hasModel(text: string): boolean {
  const json = jsonOrUndefined(text);
  return isObject(json) ? Object.hasOwn(json, 'model') : /^(["']?)model\1\s*:/m.test(text);
}
