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
      message: error.message.split(/ at line |\n/)[0] ?? error.message,
    };
  try {
    return { data: (document.toJS({ maxAliasCount: 1000 }) ?? null) as Json };
  } catch (cause) {
    return { line: 1, message: cause instanceof Error ? cause.message : String(cause) };
  }
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
  written.mistakes.push({ at: file, message: `group "${group}": ${part} is not a map` });
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
