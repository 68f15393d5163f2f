import type { Inventory } from '../terms/inventory.js';
import { isObject, type Json, type JsonObject } from '../terms/json.js';

/** What must be so on a host: a file is there, or a unit runs. */
export interface When {
  readonly file?: string;
  readonly unit?: string;
}

export interface PackageData {
  /** The unit that it brings. */
  readonly service?: string;
  readonly versions: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly conffiles?: Readonly<Record<string, string>>;
}

export interface HostData {
  readonly family?: 'deb' | 'rpm';
  /** Versions by package. */
  readonly packages?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

export interface Printed {
  readonly stdout?: string;
  readonly exit?: number;
}
export interface ProgramData extends Printed {
  readonly when?: When;
  readonly otherwise?: Printed;
}

export interface AnswerData {
  readonly endpoint: string;
  readonly path: string;
  readonly status?: number;
  readonly json: Json;
  /** A role, a host or `all`: the body is a list with an element for each of these hosts. */
  readonly each?: string;
  readonly when?: When;
  /** In place of `json` where `when` does not hold. */
  readonly otherwise?: Json;
}

/** Hosts as an author describes them; keys of `hosts` are roles, names of hosts, or `all`. */
export interface Data {
  readonly packages?: Readonly<Record<string, PackageData>>;
  readonly hosts?: Readonly<Record<string, HostData>>;
  readonly programs?: Readonly<Record<string, ProgramData>>;
  readonly answers?: readonly AnswerData[];
}

/** Is a host one of those that a key means? */
export const means = (key: string, { name, roles }: { readonly name: string; readonly roles: readonly string[] }) =>
  key === 'all' || key === name || roles.includes(key);

const KEYS = ['packages', 'hosts', 'programs', 'answers'];

/** The description, or the first thing that is wrong with it or contradicts the inventory. */
export function readData(json: Json, inventory: Inventory): { readonly data: Data } | { readonly mistake: string } {
  if (!isObject(json)) return { mistake: 'simulate: must be an object' };
  const mistake = [...mistakesIn(json, inventory)][0];
  return mistake === undefined ? { data: json as unknown as Data } : { mistake: `simulate${mistake}` };
}

function* mistakesIn(json: JsonObject, { hosts, endpoints }: Inventory): Generator<string> {
  yield* unknownKeys('', json, KEYS);
  for (const [name, one] of entriesOf(json['packages'])) {
    yield* unknownKeys(`.packages.${name}`, one, ['service', 'versions', 'files', 'conffiles']);
    if (!isObject(one) || !isTexts(one['versions'])) yield `.packages.${name}: needs "versions", a list of texts`;
  }
  const packages = new Map(entriesOf(json['packages']));
  for (const [key, one] of entriesOf(json['hosts'])) {
    yield* unknownKeys(`.hosts.${key}`, one, ['family', 'packages', 'files']);
    if (!hosts.some((host) => means(key, host))) yield `.hosts.${key}: the inventory has no such role or host`;
    for (const [name] of entriesOf(isObject(one) ? one['packages'] : undefined))
      if (!packages.has(name)) yield `.hosts.${key}.packages.${name}: describe it under "packages"`;
  }
  for (const [name, one] of entriesOf(json['programs']))
    yield* unknownKeys(`.programs.${name}`, one, ['stdout', 'exit', 'when', 'otherwise']);
  const answers = json['answers'] ?? [];
  if (!Array.isArray(answers)) yield '.answers: must be a list';
  for (const [i, one] of (Array.isArray(answers) ? (answers as readonly Json[]) : []).entries()) {
    yield* unknownKeys(`.answers[${i}]`, one, ['endpoint', 'path', 'status', 'json', 'each', 'when', 'otherwise']);
    const { endpoint, path, each, json: body } = isObject(one) ? one : {};
    if (typeof endpoint !== 'string' || endpoints[endpoint] === undefined)
      yield `.answers[${i}]: the inventory has no endpoint ${JSON.stringify(endpoint ?? null)}`;
    if (typeof path !== 'string' || body === undefined) yield `.answers[${i}]: needs "path" and "json"`;
    if (each !== undefined && !hosts.some((host) => typeof each === 'string' && means(each, host)))
      yield `.answers[${i}].each: the inventory has no such role or host`;
  }
}

function* unknownKeys(at: string, json: Json, known: readonly string[]): Generator<string> {
  if (!isObject(json)) yield `${at}: must be an object`;
  const unknown = isObject(json) ? Object.keys(json).find((key) => !known.includes(key)) : undefined;
  if (unknown !== undefined) yield `${at}: unknown key "${unknown}"; known are ${known.join(', ')}`;
}

const entriesOf = (json: Json | undefined): readonly [string, Json][] =>
  json !== undefined && isObject(json) ? Object.entries(json) : [];
const isTexts = (json: Json | undefined): boolean =>
  Array.isArray(json) && json.length > 0 && (json as readonly Json[]).every((one) => typeof one === 'string');
