import type { EndpointRequest, Exchanged } from '../machines/http/endpoint-request.js';
import type { Silence } from '../machines/host-pool.js';
import { sha256 } from '../lib/hash.js';
import type { Action, Outcome } from '../terms/action.js';
import type { Answer, Need } from '../terms/fact.js';
import type { Host } from '../terms/inventory.js';
import type { EffectId, HostLease, JobState, Swapped } from '../terms/machine.js';
import type { Subject } from '../terms/subject.js';

/**
 * The messages between a controller and the workers of a zone, JSON each. Controller and worker have the same version of the program, so that
 * the types of facts and actions are their schema.
 */
export type Work =
  | { readonly do: 'ask'; readonly host: string; readonly needs: readonly Need[] }
  | {
      readonly do: 'perform';
      readonly host: string;
      readonly on: Subject;
      readonly action: Action;
      readonly id: EffectId;
      readonly lease?: HostLease | undefined;
    }
  | { readonly do: 'job' | 'forget-job'; readonly host: string; readonly on: Subject; readonly id: EffectId }
  | {
      readonly do: 'swap';
      readonly host: string;
      readonly file: string;
      readonly expected: string;
      readonly wanted: string;
      readonly withMarker?: boolean | undefined;
    }
  | { readonly do: 'exchange'; readonly host: string; readonly request: Omit<EndpointRequest, 'mayAct'> };

/** Which host is meant: two inventories may have one of the same name. */
export interface Addressed {
  readonly identity: string;
}

export const identityOf = ({ name, address, machine }: Pick<Host, 'name' | 'address' | 'machine'>): string =>
  sha256(JSON.stringify([name, address, machine]));

/** What each kind of work comes to. */
export interface Results {
  /** In the order of the needs. */
  readonly ask: readonly Answer[];
  readonly perform: Outcome;
  readonly job: JobState;
  readonly 'forget-job': null;
  readonly swap: Swapped;
  readonly exchange: Exchanged;
}

/** Why a worker does not do what it was sent. `host`: not in its zone, by its own inventory. `too-large`: the answer of so many bytes. */
export type WorkerRefusal =
  | { readonly code: 'host'; readonly host: string }
  | { readonly code: 'too-large'; readonly bytes: number; readonly most: number }
  | { readonly code: 'malformed' }
  | { readonly code: 'failed'; readonly reason: string };

/**
 * From a worker to the subject that a controller waits at. `working`: from the start on, every few seconds. `silent`: the host is being
 * connected to, and has not answered. `may-act` and `bytes` are requests
 * that the controller answers (Permit; the bytes of the file that is uploaded, from `from` on, at most `most`). `part`: of the JSON of a
 * result that is larger than a message, base64; `done` with the SHA-256 of all is after the last one.
 */
export type FromWorker =
  | { readonly is: 'working' }
  | { readonly is: 'silent'; readonly silence: Silence }
  | { readonly is: 'may-act' }
  | { readonly is: 'bytes'; readonly from: number; readonly most: number }
  | { readonly is: 'part'; readonly bytes: string }
  | { readonly is: 'done'; readonly result: Results[Work['do']] }
  | { readonly is: 'done'; readonly sha256: string }
  | { readonly is: 'refused'; readonly refusal: WorkerRefusal };

export interface Permit {
  readonly may: boolean;
}

/** A worker's answer to `hello`. */
export interface Hello {
  /** Its own part of a subject. */
  readonly worker: string;
  /** Where it runs, for people. */
  readonly machine: string;
  readonly version: string;
}

/** Where messages go. Permissions on the servers are given by zone: `STORE.zone.ZONE.>` is all that a worker may read. */
export interface Subjects {
  /** Each worker answers. */
  readonly hello: string;
  readonly workOf: (worker: string) => string;
  /** What a worker's own questions are answered at. */
  readonly inboxes: string;
  /** Where controllers wait for workers. */
  readonly replies: string;
}

export function subjectsOf(store: string, zone: string): Subjects {
  const all = `${store}.zone.${zone}`;
  return {
    hello: `${all}.hello`,
    workOf: (worker) => `${all}.work.${worker}`,
    inboxes: `${all}.inbox`,
    replies: `${all}.reply`,
  };
}

/** How often a worker says that it is working, and after what silence it counts as lost. Milliseconds. */
export const WORKING_MS = 5_000;
export const SILENT_MS = 16_000;

export const encode = (message: (Work & Addressed) | FromWorker | Permit | Hello): Buffer =>
  Buffer.from(JSON.stringify(message));
