import { mergeYaml } from '../yaml-merge/merge.js';
import { readYaml, type YamlRead } from '../shared/yaml-tree.js';

type Wrong = Extract<YamlRead, { is: 'wrong' }>;
export type Once = { readonly is: 'text'; readonly text: string; readonly names: readonly string[] } | Wrong;

/**
 * A YAML text without the settings that a package's script appended although the operator's text, with which it begins, has them: a script
 * that compares lines does not find a quoted key, or one that stands in a map. Undefined: each setting is there once, or the operator's own
 * text cannot be read, so that nothing can be said of it.
 */
export function withoutRepeated(own: string, now: string): Once | undefined {
  const [operators, whole] = [readYaml(own), readYaml(now)];
  if (operators.is === 'wrong' || whole.is === 'yaml') return undefined;
  const appended = now.startsWith(own) ? readYaml(now.slice(own.length)) : whole;
  if (appended.is === 'wrong') return whole;
  const names = [...appended.yaml.values.keys()].filter((name) => operators.yaml.values.has(name));
  const rest = mergeYaml(appended.yaml.text, { set: {}, remove: names, onlyMissing: false });
  if (rest.is === 'wrong') return whole;
  const text = own + rest.text;
  return readYaml(text).is === 'wrong' ? whole : { is: 'text', text, names };
}
