import type { EffectContext } from '../terms/machine.js';
import type { EndpointRequest, Exchanged } from './http/endpoint-request.js';
import type { Machine } from './machine.js';

/** What reaches hosts and endpoints: this process, or a worker in their zone. */
export interface Executor extends Machine {
  /** One request to an endpoint, at the address that its `node` names. `mayAct` as in EffectContext. */
  exchange(request: EndpointRequest): Promise<Exchanged>;
}

export type MayAct = NonNullable<EffectContext['mayAct']>;

/** The workers of all zones of an inventory. */
export interface Zones {
  executorOf(zone: string): Executor;
  /** As of a fleet. */
  stopWaiting(): void;
  close(): Promise<void>;
}
