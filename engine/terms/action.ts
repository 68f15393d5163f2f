import type { Json } from './json.js';
import type { Text } from './secret.js';

/** A program and its arguments; no shell in between. `become` is the user to run as; absent: the inventory's default. */
export interface Command {
  readonly argv: readonly [string, ...string[]];
  readonly stdin?: Text;
  readonly env?: Readonly<Record<string, string>>;
  readonly become?: string;
  readonly timeoutMs: number;
}

export interface Ownership {
  readonly owner?: string;
  readonly group?: string;
  /** Octal text, as `0640`. */
  readonly mode?: string;
}

/** `latin1` when the bytes are no UTF-8: every byte is one character, so none is lost. */
export type Encoding = 'utf8' | 'latin1';

export interface HttpRequest {
  readonly endpoint: string;
  /** Ask this node (an inventory host name); absent: any, but never the one being worked on. */
  readonly node?: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** With its query: `/_cluster/health?pretty`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, Text>>;
  readonly json?: Json;
  /** In place of JSON: a form with one file, which is a text without secrets. */
  readonly form?: { readonly name: string; readonly file: string; readonly text: string };
  readonly timeoutMs: number;
}

/** Success is data: exit 0 is not success, a 200 with `failed: 1` is not either. Regular expressions are JavaScript's, flags `m`. */
export type Expect =
  | { readonly exit: readonly number[]; readonly stdout?: string; readonly notStdout?: string }
  | { readonly status: readonly number[]; readonly at?: readonly PointerExpect[] };

/** A JSON pointer (RFC 6901) into the answer's body, and what must stand there. */
export interface PointerExpect {
  readonly pointer: string;
  readonly equals: Json;
}

/** The things that one effect is about, each of which comes to an end of its own; `batch` names those that were chosen together. */
interface Itemised {
  readonly items?: readonly string[];
  readonly batch?: string;
  /** What is known of each, kept with what it comes to: names for people, say. */
  readonly about?: Readonly<Record<string, Json>>;
}

/** An effect as data. Written once by the machine, whichever module asked for it. */
export type Action =
  | ({ readonly do: 'run'; readonly command: Command; readonly expect: Expect } & Itemised)
  /** Outlives the connection; no standard input, thus no secret in a unit's properties. */
  | { readonly do: 'job'; readonly command: Omit<Command, 'stdin'>; readonly expect: Expect }
  /** Atomic: a temporary file beside it, then a rename; owner, mode and ACL of an existing file are kept unless given. */
  | ({
      readonly do: 'write';
      readonly path: string;
      readonly content: Text;
      readonly encoding?: Encoding;
      /** The SHA-256 that the file must still have, `nothing` when it must not exist, `anything` to overwrite. */
      readonly replaces: string;
    } & Ownership)
  | ({ readonly do: 'directory'; readonly path: string } & Ownership)
  | ({ readonly do: 'attributes'; readonly path: string } & Ownership)
  | { readonly do: 'link'; readonly path: string; readonly target: string }
  /** Copies a file or a whole tree with owner, mode, times and ACL. */
  | { readonly do: 'copy'; readonly from: string; readonly to: string }
  | { readonly do: 'move'; readonly from: string; readonly to: string }
  /** A file; a directory only when `tree` says so. */
  | { readonly do: 'remove'; readonly path: string; readonly tree?: boolean }
  /** A file of the controller's, by its path there, to the host: atomic, checked by hash. */
  | ({ readonly do: 'upload'; readonly source: string; readonly path: string; readonly sha256: string } & Ownership)
  /** A tar archive on the host, into a directory: beside it first, then moved into place. `members` as judged before. */
  | { readonly do: 'extract'; readonly archive: string; readonly into: string; readonly stripComponents?: number }
  | ({ readonly do: 'request'; readonly request: HttpRequest; readonly expect: Expect } & Itemised)
  | { readonly do: 'ask'; readonly question: string };

/** What became of an effect. `unknown`: it may have happened; the machine is asked again, as on resume. */
export type Outcome =
  | {
      readonly is: 'ended';
      readonly exit: number;
      readonly stdout: string;
      readonly stderr: string;
      /** These are only the ends of what was printed: they are shown, and not judged. */
      readonly cut?: true;
    }
  | {
      readonly is: 'answered';
      readonly status: number;
      readonly body: string;
      /** It is only the beginning. */
      readonly cut?: true;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly is: 'applied' }
  | { readonly is: 'said'; readonly answer: string }
  | {
      readonly is: 'refused';
      readonly by: 'fence' | 'precondition' | 'machine';
      readonly found: string;
      readonly hint?: string;
    }
  | { readonly is: 'unknown'; readonly why: 'connection' | 'timeout' | 'crash'; readonly detail?: string };
