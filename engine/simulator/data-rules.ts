import type { Inventory } from '../terms/inventory.js';
import type { Json } from '../terms/json.js';
import type { AnswerData, Data, Left, ProgramData, When } from '../terms/schemas/model/schema.js';
import { means } from './data.js';
import { entryAt, putFile, removeEntry, type NewFile } from './files.js';
import type { PackageDefinition } from './packages/definition.js';
import { done, fails } from './programs/call.js';
import type { Program } from './rules.js';
import type { HttpAsk, HttpResponse, Rules } from './rules.js';
import type { HostState, SimulatedState } from './state.js';
import { isUp } from './units.js';

/** Packages, programs and answers as they are described: no platform is known. */
export function rulesOf(data: Data, inventory: Inventory, passwords: Readonly<Record<string, string>>): Rules {
  const ports = new Map(
    Object.values(inventory.endpoints).flatMap(({ name, urls }) => urls.map(({ url }) => [portOf(url), name])),
  );
  return {
    packageOf: (_, name, version) => packageIn(data, name, version),
    program: (_, __, name) => programIn(data.programs ?? {}, name),
    hasPort: (_, __, port) => ports.has(port),
    serve: (state, host, port, ask) => {
      const name = ports.get(port) ?? '';
      const known = { user: inventory.endpoints[name]?.user ?? '', password: passwords[name] };
      if (!isSignedIn(ask, known)) return respond(401, { error: 'Unauthorized' });
      return answerTo(data.answers ?? [], name, { state, host, ask });
    },
    listens: (_, host, port) => (port === 22 ? true : Object.keys(host.services).some((unit) => isUp(host, unit))),
  };
}

interface Known {
  readonly user: string;
  /** Undefined: any is taken. */
  readonly password: string | undefined;
}

/** User and password in each request; a described API has no sign-in of its own, so a token of one is taken as it is. */
function isSignedIn({ headers }: HttpAsk, { user, password }: Known): boolean {
  if (password === undefined) return true;
  const written = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';
  return /^Bearer /i.test(written) || written === `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function packageIn({ packages = {} }: Data, name: string, version: string): PackageDefinition | undefined {
  const one = packages[name];
  if (one === undefined) return undefined;
  const asFiles = (texts: Readonly<Record<string, string>> = {}): Record<string, NewFile> =>
    Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, { text }]));
  return {
    service: one.service ?? '',
    sizeBytes: 10_000_000,
    files: { [`/usr/share/doc/${name}/version`]: { text: `${version}\n` }, ...asFiles(one.files) },
    conffiles: asFiles(one.conffiles),
  };
}

const holds = (when: When | undefined, host: HostState): boolean =>
  (when?.file === undefined || entryAt(host, when.file) !== undefined) &&
  (when?.unit === undefined || isUp(host, when.unit));

/** The description of a call: of those whose words it begins with, the longest. */
function programIn(programs: Readonly<Record<string, ProgramData>>, name: string): Program | undefined {
  const described = Object.entries(programs)
    .map(([words, one]) => ({ words: words.split(' '), one }))
    .filter(({ words }) => words[0] === name)
    .toSorted((a, b) => b.words.length - a.words.length);
  if (described.length === 0) return undefined;
  return ({ state, host, args }) => {
    const found = described.find(({ words }) => words.slice(1).every((word, i) => word === args[i]));
    if (found === undefined) return fails(64, `${[name, ...args].join(' ')} is not described in the model\n`);
    const { one } = found;
    const isSo = holds(one.when, host);
    if (isSo) leave(state, host, one);
    const { stdout = '', exit = 0 } = isSo ? one : (one.otherwise ?? { exit: 1 });
    return { ...done(named(stdout, host.name)), exit };
  };
}

/** What a call leaves on the host, for other answers to ask for. */
function leave({ nowMs }: SimulatedState, host: HostState, { creates, removes }: Left): void {
  if (creates !== undefined && entryAt(host, creates) === undefined) putFile(host, creates, {}, nowMs);
  if (removes !== undefined) removeEntry(host, removes);
}

interface Asked {
  readonly state: SimulatedState;
  readonly host: HostState;
  readonly ask: HttpAsk;
}

/** What is not described is answered with 404. */
function answerTo(answers: readonly AnswerData[], endpoint: string, asked: Asked): HttpResponse {
  const { state, ask } = asked;
  for (const one of answers) {
    if (one.endpoint !== endpoint || (one.method ?? ask.method) !== ask.method) continue;
    const host = hostOf(one.path, asked);
    if (host !== undefined) return bodyOf(one, state, host);
  }
  return respond(404, { error: `${ask.method} ${ask.path} is not described` });
}

/** The host that a path is about: the one whose name stands for `HOST` in it, else the one that was asked. */
function hostOf(path: string, { state, host, ask }: Asked): HostState | undefined {
  if (path === ask.path) return host;
  return Object.values(state.hosts).find(({ name }) => named(path, name) === ask.path);
}

function bodyOf(one: AnswerData, state: SimulatedState, asked: HostState): HttpResponse {
  const on = (host: HostState): Json => {
    const isSo = holds(one.when, host);
    if (isSo) leave(state, host, one);
    return naming(isSo ? one.json : (one.otherwise ?? null), host.name);
  };
  const { each, status = 200 } = one;
  if (each === undefined) return respond(status, on(asked));
  return respond(
    status,
    Object.values(state.hosts)
      .filter((other) => means(each, other))
      .map(on),
  );
}

const respond = (status: number, json: Json): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(json),
});

/** `HOST` stands for the host's name. */
const named = (text: string, name: string): string => text.replaceAll(/\bHOST\b/g, name);
const naming = (json: Json, name: string): Json =>
  JSON.parse(JSON.stringify(json), (_key, value: Json) =>
    typeof value === 'string' ? named(value, name) : value,
  ) as Json;

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
