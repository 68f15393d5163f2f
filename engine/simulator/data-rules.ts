import type { Inventory } from '../terms/inventory.js';
import type { Json } from '../terms/json.js';
import { means, type AnswerData, type Data, type ProgramData, type When } from './data.js';
import { entryAt } from './files.js';
import type { NewFile } from './files.js';
import type { PackageDefinition } from './packages/definition.js';
import { done } from './programs/call.js';
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

function programIn(programs: Readonly<Record<string, ProgramData>>, name: string): Program | undefined {
  const one = programs[name];
  if (one === undefined) return undefined;
  return ({ host }) => {
    const { stdout = '', exit = 0 } = holds(one.when, host) ? one : (one.otherwise ?? { exit: 1 });
    return { ...done(stdout), exit };
  };
}

interface Asked {
  readonly state: SimulatedState;
  readonly host: HostState;
  readonly ask: HttpAsk;
}

/** What is not described is answered with 404; of a request that would change something, only the status says that it was taken. */
function answerTo(answers: readonly AnswerData[], endpoint: string, asked: Asked): HttpResponse | undefined {
  const { state, host, ask } = asked;
  const one = answers.find((answer) => answer.endpoint === endpoint && answer.path === ask.path);
  if (one === undefined) return respond(404, { error: `${ask.path} is not described` });
  const on = (each: HostState): Json => naming(holds(one.when, each) ? one.json : (one.otherwise ?? null), each.name);
  const { each } = one;
  if (each === undefined) return respond(one.status ?? 200, on(host));
  const hosts = Object.values(state.hosts).filter((other) => means(each, other));
  return respond(one.status ?? 200, hosts.map(on));
}

const respond = (status: number, json: Json): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(json),
});

/** `HOST` stands for the host's name. */
const naming = (json: Json, name: string): Json =>
  JSON.parse(JSON.stringify(json), (_key, value: Json) => (value === 'HOST' ? name : value)) as Json;

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
