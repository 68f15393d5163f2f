import {
  download as downloadFact,
  type DownloadQuestion,
  http,
  type HttpAnswer,
  type HttpQuestion,
} from '../../facts/http.js';
import { offlinePackages, type OfflinePackages } from '../../facts/offline-packages.js';
import { getOrCreate } from '../../lib/get-or-create.js';
import { sha256 } from '../../lib/hash.js';
import { hasTooMany, isTooDeep, jsonOrUndefined, whyNoJson } from '../../lib/json.js';
import type { Action, HttpRequest, Outcome } from '../../terms/action.js';
import type { Answer, Need } from '../../terms/fact.js';
import type { Inventory } from '../../terms/inventory.js';
import type { Json } from '../../terms/json.js';
import type { Clock, EffectContext, ReadContext, Secrets } from '../../terms/machine.js';
import { holdsReference } from '../../terms/secret.js';
import type { Subject } from '../../terms/subject.js';
import { download } from './download.js';
import type { EndpointFacts } from './endpoint-facts.js';
import type { Exchanged } from './endpoint-request.js';
import { createExchange, type Exchange } from './exchange.js';
import { createHttpClient, type HttpClient } from './http-client.js';
import type { Zones } from '../executor.js';
import { failed } from '../machine.js';
import { controllerFile, offlineFile } from '../packages/offline-file.js';
import { readOfflinePackages } from '../packages/offline-packages.js';
import { withTexts } from '../packages/zip-texts.js';
import { meetSecrets } from '../secrets.js';
import { createSignIn } from './sign-in.js';
import type { TokenSignIn } from './token-sign-in.js';
import type { Tunnel } from '../ssh/tunnel.js';

export interface EndpointsRequest {
  readonly inventory: Inventory;
  readonly secrets: Secrets;
  /** For endpoints that are reached through a host (`via`). */
  readonly tunnel?: Tunnel;
  readonly clock: Clock;
  /** Where downloads are kept; made when first needed, for its owner alone. */
  readonly cacheDir: string;
  /** What modules of the platform ask beside `http`. */
  readonly facts: EndpointFacts;
  /** How the platform signs in by token; absent: it does not. */
  readonly tokens?: TokenSignIn | undefined;
  /** Who carries requests; absent: the network. */
  readonly client?: HttpClient;
  /** Workers, for hosts with a zone. */
  readonly zones?: Zones | undefined;
}

/** The endpoints of an inventory, and the controller's downloads. */
export interface Endpoints {
  /** Answers `http` and the platform's facts of an endpoint, and `download` and `offline-packages` of the controller. Never rejects. */
  ask(need: Need, context?: ReadContext): Promise<Answer>;
  /** Carries out a `request`, whichever subject its task is on. Never rejects. */
  perform(on: Subject, action: Action, context: EffectContext): Promise<Outcome>;
  readonly exchange: Exchange;
  close(): Promise<void>;
}

const defaultLimitMs = 30_000;
const value = (v: unknown): Answer => ({ is: 'value', value: v as Json });

/** Reads and acts over HTTP. */
export function createEndpoints(request: EndpointsRequest): Endpoints {
  const { inventory, secrets, tunnel, clock, cacheDir, tokens, zones } = request;
  const client = request.client ?? createHttpClient({ tunnel, clock });
  const signIn = createSignIn({ client, secrets, clock, tokens });
  const exchange = createExchange({ inventory, client, clock, signIn, tokens, zones });
  const fetched = async (question: DownloadQuestion): ReturnType<typeof download> => {
    const { url, offline, texts } = question;
    if (url.startsWith('/')) return withTexts(await controllerFile(url), texts);
    return withTexts((offline && (await offlineFile(offline))) ?? (await download(client, cacheDir, question)), texts);
  };
  const fetching = new Map<string, ReturnType<typeof download>>();
  /** Hosts side by side want the same file: one fetch serves those who ask meanwhile. */
  const fetchOnce = (key: string): ReturnType<typeof download> => {
    const underWay =
      fetching.get(key) ?? fetched(JSON.parse(key) as DownloadQuestion).finally(() => fetching.delete(key));
    fetching.set(key, underWay);
    return underWay;
  };

  /** Gigabytes are hashed: once, and again only where something was wrong. */
  const folders = new Map<string, Promise<OfflinePackages>>();
  const packagesOf = async (folder: string): Promise<OfflinePackages> => {
    const read = await getOrCreate(folders, folder, () => readOfflinePackages(folder));
    if (read.is === 'failed') folders.delete(folder);
    return read;
  };

  return {
    async ask(need, context) {
      const inHand = context?.inHand ?? [];
      if ('controller' in need.of && need.fact === downloadFact.name) return value(await fetchOnce(need.key));
      if ('controller' in need.of && need.fact === offlinePackages.name) return value(await packagesOf(need.key));
      if (!('endpoint' in need.of)) return failed('unreadable', `an endpoint cannot answer ${need.fact} of a host`);
      const { endpoint, node } = need.of;
      if (need.fact === http.name)
        return askHttp(exchange, { endpoint, node, inHand, question: JSON.parse(need.key) as HttpQuestion });
      const read = request.facts.get(need.fact);
      if (read === undefined) return failed('unreadable', `an endpoint cannot answer ${need.fact}`);
      return value(await read(exchange, { endpoint, node, inHand, question: JSON.parse(need.key) as Json }));
    },
    async perform(_on, action, context) {
      if (action.do !== 'request') return { is: 'refused', by: 'machine', found: `an endpoint cannot ${action.do}` };
      const met = await meetSecrets<Json>(action.request as unknown as Json, secrets);
      if (met.is === 'failed') return refused(met.reason, met.hint);
      const asked = requestOf(met.value as unknown as HttpRequest, context.inHand ?? []);
      return outcomeOf(await exchange({ ...asked, mayAct: context.mayAct }));
    },
    exchange,
    close: () => client.close(),
  };
}

async function askHttp(
  exchange: Exchange,
  asked: {
    readonly endpoint: string;
    readonly node: string | undefined;
    readonly inHand: readonly string[];
    readonly question: HttpQuestion;
  },
): Promise<Answer> {
  const { endpoint, node, inHand, question } = asked;
  const { path, timeoutMs = defaultLimitMs } = question;
  const sent = bodyOf(question.json);
  const result = await exchange({
    endpoint,
    node,
    method: sent === undefined ? 'GET' : 'POST',
    path,
    headers: { ...(sent === undefined ? {} : { 'content-type': sent.type }), ...question.headers },
    ...(sent === undefined ? {} : { body: sent.body }),
    timeoutMs,
    reads: true,
    ...(question.relayed === undefined ? {} : { relayed: question.relayed }),
    inHand,
  });
  switch (result.is) {
    case 'failed':
      return result;
    case 'answered': {
      if (result.cut)
        return failed(
          'unreadable',
          `${endpoint} answers ${path} with more than can be read at once`,
          'ask for less, by a filter or pages',
        );
      const found: Json | undefined = jsonOrUndefined(result.body);
      if (found === undefined && (hasTooMany(result.body) || isTooDeep(result.body)))
        return failed('unreadable', `what ${endpoint} answers to ${path} ${whyNoJson(result.body, 'is no JSON')}`);
      const json = found ?? null;
      if (holdsReference(json))
        return failed('unreadable', `${endpoint} answers ${path} with "$secret" or "$text", which are reserved keys`);
      return value({ is: 'answered', status: result.status, json, text: result.body } satisfies HttpAnswer);
    }
    case 'lost':
      return value({ is: 'unreachable', reason: result.detail } satisfies HttpAnswer);
    case 'unreachable':
    case 'untrusted':
      return value(result satisfies HttpAnswer);
  }
}

/** A request whose secrets have been met: all its texts are plain. */
function requestOf(
  { endpoint, node, method, path, headers = {}, json, form, timeoutMs }: HttpRequest,
  inHand: readonly string[],
): Parameters<Exchange>[0] {
  const plain = Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name.toLowerCase(), typeof text === 'string' ? text : '']),
  );
  const sent = form === undefined ? bodyOf(json) : multipart(form);
  return {
    endpoint,
    node,
    method,
    path,
    timeoutMs,
    inHand,
    reads: method === 'GET',
    headers: sent === undefined ? plain : { 'content-type': sent.type, ...plain },
    ...(sent === undefined ? {} : { body: sent.body }),
  };
}

interface Sent {
  readonly type: string;
  readonly body: string;
}

const bodyOf = (json: Json | undefined): Sent | undefined =>
  json === undefined ? undefined : { type: 'application/json', body: JSON.stringify(json) };

/** RFC 7578; the boundary is a hash of the text, so that it does not stand in it. */
function multipart({ name, file, text }: NonNullable<HttpRequest['form']>): Sent {
  const boundary = `runbook-${sha256(text).slice(0, 32)}`;
  const head = `Content-Disposition: form-data; name="${name}"; filename="${file}"\r\nContent-Type: application/ndjson`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: `--${boundary}\r\n${head}\r\n\r\n${text}\r\n--${boundary}--\r\n`,
  };
}

const refused = (found: string, hint?: string): Outcome => ({
  is: 'refused',
  by: 'machine',
  found,
  ...(hint === undefined ? {} : { hint }),
});

/** Only what was sent and not answered is unknown; without a connection nothing has happened. */
function outcomeOf(result: Exchanged): Outcome {
  switch (result.is) {
    case 'answered': {
      const { 'set-cookie': _cookie, ...headers } = result.headers;
      return {
        is: 'answered',
        status: result.status,
        body: result.body,
        headers,
        ...(result.cut ? { cut: true } : {}),
      };
    }
    case 'lost':
      return { is: 'unknown', why: result.why, detail: result.detail };
    case 'unreachable':
      return refused(result.reason);
    case 'untrusted':
    case 'failed':
      return refused(result.reason, result.hint);
  }
}
