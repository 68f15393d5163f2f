import type { Json } from '../../terms/json.js';
import type { Exchange } from './exchange.js';

/** A question of a module to an endpoint. */
export interface EndpointQuestion {
  readonly endpoint: string;
  readonly node?: string | undefined;
  /** As the fact's `key` wrote it. */
  readonly question: Json;
  /** Hosts that are being worked on: their addresses are not asked. */
  readonly inHand: readonly string[];
}

/** Reads a fact of an endpoint, in as many requests as it takes. Never rejects. */
export type EndpointFact = (exchange: Exchange, asked: EndpointQuestion) => Promise<unknown>;

/** What a platform's modules ask of endpoints beside `http`, by the fact's name. */
export type EndpointFacts = ReadonlyMap<string, EndpointFact>;
