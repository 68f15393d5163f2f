import { Document, isMap, isScalar, isSeq, parseDocument, visit, YAMLMap, type Pair, type Scalar } from 'yaml';
import { isRelease } from '../lib/version.js';
import type { Draft, DraftHost, Ssh } from './draft.js';
import { foldRanges } from './host-ranges.js';
import type { Role } from './roles.js';
import { shareSsh } from './shared-ssh.js';

/** A value that the operator must write: a question, by its place such as `platform.target`. */
export interface Question {
  readonly place: string;
  readonly text: string;
}

const TODO = /^TODO(?::\s*)?/;

/** The questions of an inventory's template, from top to bottom. */
export function questionsOf(template: string): readonly Question[] {
  const found: Question[] = [];
  visit(parseDocument(template), {
    Scalar(_key, node, path) {
      if (typeof node.value !== 'string' || !TODO.test(node.value)) return;
      found.push({ place: placeOf(path), text: node.value.replace(TODO, '') });
    },
  });
  return found;
}

/** All places of single values: what `--set` may name. */
export function placesOf(template: string): readonly string[] {
  const found: string[] = [];
  visit(parseDocument(template), {
    Scalar(key, _node, path) {
      if (key === 'value' && !path.some(isSeq)) found.push(placeOf(path));
    },
  });
  return found;
}

/** Why a value is not of the kind of the example that its question gives: a URL, a version, an absolute path. */
export function unlikeExample(value: string, question: string): string | undefined {
  const [, example = ''] = / such as (\S+)$/.exec(question) ?? [];
  const isAlike = example.includes('://')
    ? /^https?:\/\//.test(value) && URL.canParse(value)
    : /^\d+(?:\.\d+){1,2}$/.test(example)
      ? isRelease(value, example)
      : example.startsWith('/')
        ? /^\/\S*$/.test(value)
        : example === '' || isName(value);
  return isAlike || value.includes('{{') ? undefined : `"${value}" is not ${question}`;
}

/** One word, and neither an address, a path nor a release: what was pasted for another question. */
const isName = (value: string): boolean => /^[^\s,:/[\]]+$/.test(value) && !/^[\d.]+$/.test(value);

const placeOf = (path: readonly unknown[]): string =>
  path.flatMap((node) => (isPair(node) && isScalar(node.key) ? [String(node.key.value)] : [])).join('.');
const isPair = (node: unknown): node is Pair => typeof node === 'object' && node !== null && 'key' in node;

export interface NewInventory {
  /** The commented text that is filled in. */
  readonly template: string;
  readonly heading: readonly string[];
  readonly draft: Draft;
  readonly roles: readonly Role[];
  /** Values by their places. */
  readonly answers: ReadonlyMap<string, string>;
}

/** The text of a new inventory. What is not known stays a value that begins with TODO, which `validate` names. */
export function inventoryText({ template, heading, draft, roles, answers }: NewInventory): string {
  const document = parseDocument(template);
  for (const [place, value] of answers) {
    const old = document.getIn(place.split('.'), true);
    // A new node would lose the comment behind the value.
    if (isScalar(old)) Object.assign(old, { value, type: undefined });
    else document.setIn(place.split('.'), value);
  }
  const ssh = shareSsh(draft.hosts);
  for (const [key, value] of Object.entries(ssh.all))
    document.setIn(['ssh', key], document.createNode(value, { flow: true }));
  for (const [name, prompt] of Object.entries(draft.secrets))
    document.setIn(['secrets', name], flow(document, { prompt }));
  putAddresses(document, draft.hosts, roles);
  document.set('hosts', hostsNode(document, draft, roles, ssh.hosts));
  spaced(document, 'hosts', ' The hosts, by name. A range such as web-[001:200] is many hosts, whose number is {{n}}.');
  if (ssh.groups.size > 0) {
    document.set(
      'groups',
      document.createNode(Object.fromEntries([...ssh.groups].map(([name, own]) => [name, groupEntry(own)]))),
    );
    spaced(document, 'groups', ' Groups of hosts, with their own variables and SSH settings.');
  }
  const text = document.toString({ lineWidth: 160, flowCollectionPadding: true });
  return `${heading.map((line) => `# ${line.replaceAll(/\p{Cc}/gu, ' ')}\n`).join('')}${text}`;
}

const flow = (document: Document, value: unknown): unknown => document.createNode(value, { flow: true });

function groupEntry(ssh: Ssh): Readonly<Record<string, unknown>> {
  return Object.keys(ssh).length === 0 ? {} : { ssh };
}

function spaced(document: Document.Parsed, key: string, comment: string): void {
  // A key that was set is no node yet.
  const isIt = (item: Pair): boolean => (isScalar(item.key) ? item.key.value : item.key) === key;
  const pair = isMap(document.contents) ? (document.contents.items as Pair[]).find(isIt) : undefined;
  if (pair === undefined) return;
  const node = document.createNode(key) as Scalar;
  node.spaceBefore = true;
  node.commentBefore = comment;
  pair.key = node;
}

function hostsNode(
  document: Document,
  { hosts }: Draft,
  roles: readonly Role[],
  ssh: ReadonlyMap<string, Ssh>,
): YAMLMap {
  const map = new YAMLMap();
  const order = (host: DraftHost): number => roles.findIndex(({ name }) => name === host.roles[0]);
  const entries = hosts
    .toSorted((a, b) => order(a) - order(b))
    .map((host) => [host.name, entryOf(host, ssh.get(host.name) ?? {})] as const);
  let last = '';
  for (const [name, entry] of foldRanges(entries)) {
    const key = document.createNode(name) as Scalar;
    const [first = ''] = entry.roles;
    if (first !== last)
      key.commentBefore = ` ${first}: ${roles.find((role) => role.name === first)?.description ?? ''}`;
    last = first;
    map.add(document.createPair(key, flow(document, entry)));
  }
  return map;
}

const entryOf = ({ address, roles, groups, vars, local }: DraftHost, ssh: Ssh) => ({
  ...(address === undefined ? {} : { address }),
  roles,
  ...(groups.length === 0 ? {} : { groups }),
  ...(Object.keys(vars).length === 0 ? {} : { vars }),
  ...(Object.keys(ssh).length === 0 ? {} : { ssh }),
  ...(local ? { machine: 'local' } : {}),
});

/** `https://ROLE:PORT` in an endpoint becomes the address of the first host of that role; in a list, of each one. */
function putAddresses(document: Document.Parsed, hosts: readonly DraftHost[], roles: readonly Role[]): void {
  const addressed = (text: string): readonly string[] => {
    const [, scheme = '', role = '', rest = ''] = /^(https?:\/\/)([\w-]+)((?:[:/].*)?)$/.exec(text) ?? [];
    if (!roles.some(({ name }) => name === role)) return [text];
    const found = hosts.filter((host) => host.roles.includes(role)).map((host) => host.address ?? host.name);
    if (found.length === 0 || found.some((address) => TODO.test(address)))
      return [`TODO: ${text} with the address of the host`];
    return found.map((address) => `${scheme}${address.includes(':') ? `[${address}]` : address}${rest}`);
  };
  /** A port of a host behind a jump host is rarely open to the controller. */
  const isBehindJump = (role: string): boolean => {
    const own = hosts.filter((host) => host.roles.includes(role));
    return own.length > 0 && own.every(({ ssh }) => ssh['jump'] !== undefined);
  };
  const endpoints = document.get('endpoints');
  if (!isMap(endpoints)) return;
  for (const { key } of endpoints.items) {
    const name = isScalar(key) ? String(key.value) : '';
    const url = document.getIn(['endpoints', name, 'url'], true);
    const [, role = ''] = isScalar(url) ? (/^https?:\/\/([\w-]+)/.exec(String(url.value)) ?? []) : [];
    if (isBehindJump(role) && !document.hasIn(['endpoints', name, 'via']))
      document.setIn(['endpoints', name, 'via'], `role.${role}`);
    if (isScalar(url) && typeof url.value === 'string')
      Object.assign(url, { value: addressed(url.value)[0], type: undefined });
    const urls = document.getIn(['endpoints', name, 'urls']);
    const [first] = urls instanceof Object && 'items' in urls ? (urls.items as Scalar[]) : [];
    if (isScalar(first))
      document.setIn(['endpoints', name, 'urls'], document.createNode(addressed(String(first.value))));
  }
}
