import { isObject, type Json, type JsonObject } from '../terms/json.js';
import { hostPattern } from './host-pattern.js';
import { addHost, groupOf, VAULTED, type Written } from './types.js';

/** The data of a YAML or JSON text, where encrypted values are `VAULTED`; or what is wrong with the text, with its line. */
export async function yamlData(
  text: string,
): Promise<{ readonly data: Json } | { readonly line: number; readonly message: string }> {
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const vault = { tag: '!vault', resolve: () => VAULTED, identify: () => false };
  const unsafe = { tag: '!unsafe', resolve: (value: string) => value, identify: () => false };
  const document = parseDocument(text, {
    lineCounter,
    version: '1.1',
    customTags: [vault, unsafe],
    logLevel: 'silent',
    uniqueKeys: false,
  });
  const [error] = document.errors;
  if (error !== undefined)
    return {
      line: lineCounter.linePos(error.pos[0]).line,
      message: syntaxText(error.code, error.message.split(/ at line |\n/)[0] ?? error.message),
    };
  try {
    return { data: (document.toJS({ maxAliasCount: 1000 }) ?? null) as Json };
  } catch (cause) {
    return { line: 1, message: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** The usual mistakes in an operator's words; of any other one the parser's. */
function syntaxText(code: string, message: string): string {
  if (code === 'BLOCK_AS_IMPLICIT_KEY')
    return 'has a second "key:" on this line, or a text with a colon: start a new line after the first "key:", or quote the text';
  if (code === 'TAB_AS_INDENT') return 'a tab indents this line; YAML allows spaces only';
  if (message.startsWith('Flow ')) return 'what begins with [ or { is not closed before this line';
  if (code === 'MISSING_CHAR')
    return message.includes('quote') ? 'a quotation is not closed' : 'a key needs a colon behind it';
  return `is not YAML: ${message}`;
}

/** Reads the groups of a YAML inventory, each with `hosts`, `vars` and `children`. */
export function readGroups(file: string, groups: JsonObject, written: Written, above?: string): void {
  for (const [name, group] of Object.entries(groups)) {
    const own = groupOf(written, name);
    if (above !== undefined) groupOf(written, above).children.add(name);
    if (group === null) continue;
    if (!isObject(group)) {
      written.mistakes.push({
        at: file,
        message: `group "${name}" is not a map`,
        hint: 'its keys are hosts, vars and children',
      });
      continue;
    }
    own.vars = { ...own.vars, ...partOf(file, name, 'vars', group, written) };
    for (const [pattern, vars] of Object.entries(partOf(file, name, 'hosts', group, written)))
      readHost(file, name, [pattern, isObject(vars) ? vars : {}], written);
    readGroups(file, partOf(file, name, 'children', group, written), written, name);
  }
}

function readHost(file: string, group: string, [pattern, vars]: readonly [string, JsonObject], written: Written): void {
  const hosts = hostPattern(pattern);
  if ('mistake' in hosts) {
    written.mistakes.push({ at: file, message: `group "${group}": ${hosts.mistake}` });
    return;
  }
  for (const name of hosts.names) {
    addHost(written, name, { ...(hosts.port === undefined ? {} : { ansible_port: hosts.port }), ...vars });
    groupOf(written, group).hosts.add(name);
  }
}

/** A part of a group; a text is one name, as Ansible takes it. */
function partOf(
  file: string,
  group: string,
  part: string,
  { [part]: value = null }: JsonObject,
  written: Written,
): JsonObject {
  if (value === null) return {};
  if (isObject(value)) return value;
  if (typeof value === 'string' && part !== 'vars') return { [value]: null };
  written.mistakes.push({
    at: file,
    message: `group "${group}": ${part} is not a map`,
    hint:
      part === 'vars'
        ? 'write NAME: VALUE, a line each'
        : 'write each name on a line of its own, with a colon behind it and no "-" before it',
  });
  return {};
}

/** Reads the JSON of `ansible-inventory --list`, or of an inventory script: `_meta.hostvars`, and groups with lists. */
export function readListing(file: string, listing: JsonObject, written: Written): void {
  const meta = listing['_meta'];
  const hostvars = isObject(meta) && isObject(meta['hostvars']) ? meta['hostvars'] : {};
  for (const [name, group] of Object.entries(listing)) {
    if (name === '_meta') continue;
    const own = groupOf(written, name);
    const { hosts, children, vars }: { hosts?: Json; children?: Json; vars?: Json } = Array.isArray(group)
      ? { hosts: group }
      : isObject(group)
        ? group
        : {};
    if (isObject(vars)) own.vars = { ...own.vars, ...vars };
    for (const child of textsIn(children)) own.children.add(child);
    for (const host of textsIn(hosts)) {
      addHost(written, host, {});
      own.hosts.add(host);
    }
    if (!isObject(group) && !Array.isArray(group))
      written.mistakes.push({ at: file, message: `group "${name}" is neither a map nor a list` });
  }
  for (const [host, vars] of Object.entries(hostvars)) if (isObject(vars)) addHost(written, host, vars);
}

const textsIn = (list: Json | undefined): readonly string[] =>
  Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
