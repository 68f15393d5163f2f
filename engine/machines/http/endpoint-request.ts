import type { EffectContext } from '../../terms/machine.js';
import type { Failed } from '../machine.js';
import type { HttpResult } from './http-client.js';

/** A request to an endpoint, wherever it is served. */
export interface EndpointRequest {
  readonly endpoint: string;
  readonly node?: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** It alters nothing, so an answer that was lost is asked for again. */
  readonly reads: boolean;
  /** As in HttpQuestion: a 401 says nothing of the sign-in. */
  readonly relayed?: true;
  readonly inHand: readonly string[];
  /** As in EffectContext: asked once it is signed in, before the request is sent. */
  readonly mayAct?: EffectContext['mayAct'];
}

export type Exchanged = HttpResult | Failed;
