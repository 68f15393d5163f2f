import type { Json, JsonObject } from '../terms/json.js';
import { hostPattern } from './host-pattern.js';
import { addHost, groupOf, type Written } from './types.js';
import { shellWords } from './words.js';

type Section = { readonly group: string; readonly of: 'hosts' | 'children' | 'vars'; readonly line: number };

/**
 * Reads an inventory in Ansible's INI dialect, which is none of the usual ones: a line of hosts is `PATTERN key=value key="a b"`, with the
 * quoting of a shell; a line of `[GROUP:vars]` is `key=value` to its end.
 */
export function readIni(file: string, text: string, written: Written): void {
  let section: Section = { group: 'ungrouped', of: 'hosts', line: 1 };
  const declared = new Set(['all', 'ungrouped']);
  const used: Section[] = [];
  for (const [i, whole] of text.split(/\r?\n/).entries()) {
    const line = whole.trim();
    const mistake = (message: string, hint?: string): void =>
      void written.mistakes.push({ at: `${file}:${i + 1}`, message, ...(hint === undefined ? {} : { hint }) });
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const next = sectionOf(line, i + 1);
    if (next !== undefined) {
      section = next;
      if (next.of === 'vars') used.push(next);
      else declared.add(next.group);
      if (next.of !== 'vars') groupOf(written, next.group);
      continue;
    }
    // What only begins like a section may be an IPv6 address in brackets.
    if (line.startsWith('[') && line.endsWith(']')) {
      mistake(`"${line}" is not a section`, 'use [GROUP], [GROUP:children] or [GROUP:vars]');
      continue;
    }
    // Neither a host nor an address begins with a bracket that is not closed.
    if (/^\[[^\]]*$/.test(line)) {
      mistake(`"${line}" has no closing bracket`, `use [${line.slice(1).split(/\s/)[0] ?? ''}]`);
      continue;
    }
    const wrong = readLine(written, section, line, i + 1, used);
    if (wrong !== undefined) mistake(wrong);
  }
  for (const { group, line } of used)
    if (!declared.has(group))
      written.mistakes.push({
        at: `${file}:${line}`,
        message: `undefined group "${group}"`,
        hint: `add a section [${group}]`,
      });
}

function sectionOf(line: string, at: number): Section | undefined {
  const [, group, of = 'hosts'] = /^\[([^:\]\s]+)(?::(\w+))?\]\s*(?:#.*)?$/.exec(line) ?? [];
  if (group === undefined || (of !== 'hosts' && of !== 'children' && of !== 'vars')) return undefined;
  return { group, of, line: at };
}

/** Reads a line of a section; gives what is wrong with it. */
function readLine(
  written: Written,
  { group, of }: Section,
  line: string,
  at: number,
  used: Section[],
): string | undefined {
  if (of === 'children') {
    const child = (line.split('#')[0] ?? '').trim();
    if (/\s/.test(child)) return `"${line}" is not the name of a group`;
    groupOf(written, group).children.add(child);
    used.push({ group: child, of, line: at });
    return undefined;
  }
  if (of === 'vars') {
    const [key, value] = pairOf(line);
    if (value === undefined) return `"${line}" is not key=value`;
    const own = groupOf(written, group);
    own.vars = { ...own.vars, [key]: pythonValue(value) };
    return undefined;
  }
  return readHosts(written, group, line);
}

function readHosts(written: Written, group: string, line: string): string | undefined {
  const words = shellWords(line);
  if (words === undefined) return 'a quotation is not closed';
  const [pattern, ...pairs] = words;
  if (pattern === undefined) return undefined;
  const wrong = pairs.find((pair) => pairOf(pair)[1] === undefined);
  if (wrong !== undefined) return `"${wrong}" is not key=value`;
  const hosts = hostPattern(pattern);
  if ('mistake' in hosts) return hosts.mistake;
  const vars: JsonObject = {
    ...(hosts.port === undefined ? {} : { ansible_port: hosts.port }),
    ...Object.fromEntries(pairs.map((pair) => [pairOf(pair)[0], pythonValue(pairOf(pair)[1] ?? '')])),
  };
  for (const name of hosts.names) {
    addHost(written, name, vars);
    groupOf(written, group).hosts.add(name);
  }
  return undefined;
}

function pairOf(text: string): readonly [string, string | undefined] {
  const at = text.indexOf('=');
  return at < 1 ? [text, undefined] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** Ansible reads a value as a Python literal where it is one, and else as text. Lists and maps stay text: none is needed here. */
function pythonValue(text: string): Json {
  const [, number] = /^([+-]?\d{1,15})\s*(?:#.*)?$/.exec(text) ?? [];
  if (number !== undefined && !/^[+-]?0\d/.test(number)) return Number(number);
  const [, truth] = /^(True|False)\s*(?:#.*)?$/.exec(text) ?? [];
  if (truth !== undefined) return truth === 'True';
  const [, one, two] = /^(?:'([^'\\]*)'|"([^"\\]*)")\s*(?:#.*)?$/.exec(text) ?? [];
  return one ?? two ?? text;
}
