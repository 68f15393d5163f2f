import type { Json, JsonObject } from '../../terms/json.js';
import { partWord } from '../playbook/selector.js';

/** What to write instead of a map of hosts, which there was before words; undefined where that is not plain. */
export function hintForOldHosts(old: JsonObject): string | undefined {
  const { role, group, name, pattern, take, last, ...others } = old;
  const words = [role, group, name, pattern].filter((word) => typeof word === 'string');
  if (words.length !== 1 || Object.keys(others).length > 0) return undefined;
  const keys = [
    ...(take === undefined ? [] : ['`run_once: true`']),
    ...(last === undefined ? [] : ['`last: fact.NAME`']),
  ];
  return [`write \`hosts: ${words[0] ?? ''}\``, ...keys].join(' and ');
}

/** What is wrong with a text that is no word of hosts, and the form to write; undefined where that is not plain. */
export function hostsText(name: string, value: Json | undefined): { message: string; hint: string } | undefined {
  if (typeof value !== 'string') return undefined;
  if (value.includes('{{'))
    return {
      message: `${name} is ${JSON.stringify(value)}, and takes no template`,
      hint: 'write a role, a group or a host, such as hosts: all',
    };
  const words = value.split(/[\s,:]+/).filter((word) => partWord(word).word !== '');
  if (words.length < 2) return undefined;
  const list = words.map((word) => (/^[!&*]/.test(word) ? `"${word}"` : word)).join(', ');
  return { message: `${name} has several words in one text, ${JSON.stringify(value)}`, hint: `write hosts: [${list}]` };
}
