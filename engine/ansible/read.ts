import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isObject, type Json, type JsonObject } from '../terms/json.js';
import { connectionOf, type Connection, type ConnectionMistake } from './connection.js';
import { readIni } from './ini.js';
import { resolveHosts } from './resolve.js';
import { nothingWritten, type Mistake, type Written } from './types.js';
import { readVarsFiles } from './vars-files.js';
import { readGroups, readListing, yamlData } from './yaml.js';
import { MOST_OF, readFileWithin, whyNotRead } from '../lib/bounded-file.js';

/** A host of an Ansible inventory, as far as it concerns an inventory of ours. */
export interface AnsibleHost extends Connection {
  readonly name: string;
  readonly groups: readonly string[];
  readonly vars: JsonObject;
  /** What of its connection cannot be used. It concerns only who takes the host over. */
  readonly mistakes: readonly ConnectionMistake[];
}

export type AnsibleInventory =
  | { readonly ok: true; readonly hosts: readonly AnsibleHost[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

const VAULT = /^\$ANSIBLE_VAULT;/;
const IGNORED = /(?:^\.|~$|\.(?:pyc|pyo|swp|bak|rpm|md|txt|rst|orig|cfg|retry)$)/;

/** Reads an Ansible inventory: a file in INI, YAML or JSON, or a directory of them, with `group_vars` and `host_vars` beside it. */
export async function readAnsible(name: string, cwd: string): Promise<AnsibleInventory> {
  const written = nothingWritten();
  const absolute = path.resolve(cwd, name);
  const isDirectory = await stat(absolute).then(
    (s) => s.isDirectory(),
    () => false,
  );
  const files = isDirectory ? await filesIn(absolute) : [absolute];
  for (const file of files) await readOne(path.relative(cwd, file) || file, file, written);
  const beside = isDirectory ? absolute : path.dirname(absolute);
  const vars = await readVarsFiles(beside, cwd, written);
  const hosts = resolveHosts(written, vars.files).map((host): AnsibleHost => {
    const { connection, mistakes } = connectionOf(host);
    return { name: host.name, groups: host.groups, vars: host.vars, mistakes, ...connection };
  });
  if (hosts.length === 0 && written.mistakes.length === 0) written.mistakes.push({ at: name, message: 'has no hosts' });
  return written.mistakes.length > 0
    ? { ok: false, mistakes: written.mistakes }
    : { ok: true, hosts, notes: vars.notes };
}

const filesIn = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && !IGNORED.test(entry.name))
    .map((entry) => path.join(directory, entry.name))
    .sort();

async function readOne(shown: string, file: string, written: Written): Promise<void> {
  const wrong = (message: string, hint: string): void => void written.mistakes.push({ at: shown, message, hint });
  let text: string;
  try {
    text = readFileWithin(file, MOST_OF.foreign).toString('utf8');
  } catch (error) {
    wrong(whyNotRead(error), 'name an inventory file in INI, YAML or JSON, or a directory of them');
    return;
  }
  if (VAULT.test(text))
    wrong(
      'is encrypted with Ansible Vault',
      `decrypt it first: ansible-inventory -i ${shown} --list --ask-vault-pass > hosts.json; then: runbook init --ansible hosts.json`,
    );
  else if (text.startsWith('#!')) wrong('is a program that makes an inventory', listFirst(shown));
  else if (file.endsWith('.toml')) wrong('is TOML, which is not supported', listFirst(shown));
  else await readText(shown, file, text, written);
}

const listFirst = (file: string): string =>
  `run: ansible-inventory -i ${file} --list > hosts.json; then: runbook init --ansible hosts.json`;

async function readText(shown: string, file: string, text: string, written: Written): Promise<void> {
  const isYaml = /\.(?:ya?ml|json)$/.test(file);
  const maybeYaml = isYaml || path.extname(file) === '';
  const parsed = maybeYaml ? await yamlData(text) : undefined;
  const data = parsed !== undefined && 'data' in parsed ? parsed.data : undefined;
  if (isObject(data) && typeof data['plugin'] === 'string')
    written.mistakes.push({
      at: shown,
      message: `configures the dynamic inventory plug-in "${data['plugin']}"`,
      hint: listFirst(shown),
    });
  else if (isObject(data) && isListing(data)) readListing(shown, data, written);
  else if (isObject(data) && (isYaml || Object.values(data).every((group) => group === null || isObject(group))))
    readGroups(shown, data, written);
  else if (!isYaml) readIni(shown, text, written);
  else if (parsed !== undefined && 'message' in parsed)
    written.mistakes.push({ at: `${shown}:${parsed.line}`, message: parsed.message });
  else if (data !== null)
    written.mistakes.push({ at: shown, message: 'is not an inventory: its top level is not a map of groups' });
}

/** Only a listing has `_meta`, or lists of hosts; a YAML inventory has maps. */
const isListing = (data: JsonObject): boolean =>
  '_meta' in data ||
  Object.values(data).some(
    (group) => Array.isArray(group) || (isObject(group) && isList(group['hosts'] ?? group['children'])),
  );
const isList = (value: Json | undefined): boolean => Array.isArray(value);
