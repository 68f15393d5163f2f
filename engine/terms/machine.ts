import type { Piece } from '../lib/redact.js';
import type { Action, Outcome } from './action.js';
import type { Answer, Need } from './fact.js';
import type { Subject } from './subject.js';

/** Identifies an effect for a job's unit name and a crash point: run/task/attempt/index. Hash it where it becomes a name. */
export type EffectId = string;

export interface EffectContext {
  readonly id: EffectId;
  /** For the second Ctrl-C only. */
  readonly signal?: AbortSignal;
  /** Hosts that are being worked on: an endpoint's node on one of them is not asked unless the request names it. */
  readonly inHand?: readonly string[];
  /**
   * Throws once another controller has the run. Asked last: when secrets are known, the connection is open and a file is on the host, which
   * may all take long.
   */
  readonly mayAct?: () => Promise<void>;
  /** Compared on the host itself, as the action begins: who has been replaced there by then does nothing. */
  readonly lease?: HostLease;
}

/** A file of a host, and the line that it has as long as this controller works there. */
export interface HostLease {
  readonly file: string;
  readonly text: string;
  /** What the file beside it holds from then on: which record of the run's journal came before the action (journal/host-marker.ts). */
  readonly marker?: string;
}

/** The file of a marker, beside that of the lease. */
export const markerFile = (lease: string): string => `${lease}.journal`;

export type JobState =
  | { readonly is: 'absent' }
  | { readonly is: 'running'; readonly sinceMs: number }
  | Extract<Outcome, { is: 'ended' }>
  | { readonly is: 'lost'; readonly why: 'rebooted' | 'killed' }
  | { readonly is: 'unreachable'; readonly reason: string };

export interface ReadContext {
  readonly inHand?: readonly string[];
}

/** All that a plan gets: who reads cannot act. Answers by `refKey`; one for every need, never a throw. */
export interface Reader {
  ask(needs: readonly Need[], context?: ReadContext): Promise<ReadonlyMap<string, Answer>>;
}

/** The single place where an effect happens. `on` of the action's task says where. */
export interface Actor {
  perform(on: Subject, action: Action, context: EffectContext): Promise<Outcome>;
  /** What became of a job that an earlier attempt started. */
  job(on: Subject, id: EffectId): Promise<JobState>;
  /** Removes the result of a job that has ended from its host, once it is recorded: who asks before that finds it again. */
  forgetJob(on: Subject, id: EffectId): Promise<void>;
}

/** What became of a file that was to be replaced only where it is as expected; and what its marker was, where there is one. */
export type Swapped =
  | { readonly is: 'swapped'; readonly marker?: string }
  | { readonly is: 'found'; readonly text: string; readonly marker?: string }
  | Extract<Answer, { is: 'failed' }>;

/** The machines of one inventory. `close` ends connections and shells, never jobs. */
export interface Fleet {
  readonly reader: Reader;
  readonly actor: Actor;
  /**
   * Makes a file of a host hold this line in place of another; an empty text is no file. At one moment, whoever else does the same.
   * `withMarker`: where the file goes, its marker goes, too.
   */
  swap(host: string, file: string, expected: string, wanted: string, withMarker?: boolean): Promise<Swapped>;
  /** The run is to stop: a host that has not answered for some time is not waited for any more. */
  stopWaiting(): void;
  close(): Promise<void>;
}

/** Time is a port: the model's is virtual. */
export interface Clock {
  nowMs(): number;
  /** How far it is ahead of the machine's own, which was set back; absent: not at all. */
  aheadMs?(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Gives a secret's value once it is needed, and takes known values (and their common encodings) out of text. */
export interface Secrets {
  value(
    name: string,
  ): Promise<
    | { readonly is: 'value'; readonly value: string }
    | { readonly is: 'failed'; readonly reason: string; readonly hint?: string }
  >;
  /** The value where it was fetched already. */
  readonly known: (name: string) => string | undefined;
  /** Replaces each known value, in whatever form it is written, by `{{secret.NAME}}`. */
  redact(text: string): string;
  /** The same, with the places apart from the text. */
  readonly split: (text: string) => readonly Piece[];
}
