import type { Json } from '../terms/json.js';
import type { ArchiveListing } from './host.js';

/** A question to an endpoint (its subject says which, and which node): it must alter nothing. */
export interface HttpQuestion {
  readonly path: string;
  /** A body: it is asked by POST. */
  readonly json?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** The endpoint asks another one: a 401 may be that one's, and is an answer as any other. */
  readonly relayed?: true;
}
/** `json` is null when the body is none. `unreachable` is a value: a wait may be waiting for just that to end. */
export type HttpAnswer =
  | { readonly is: 'answered'; readonly status: number; readonly json: Json; readonly text: string }
  | { readonly is: 'unreachable'; readonly reason: string }
  | { readonly is: 'untrusted'; readonly reason: string; readonly hint: string };
export const http = {
  name: 'http',
  key: (q: HttpQuestion) =>
    JSON.stringify({
      path: q.path,
      ...(q.json === undefined ? {} : { json: q.json }),
      ...(q.headers === undefined ? {} : { headers: q.headers }),
      ...(q.timeoutMs === undefined ? {} : { timeoutMs: q.timeoutMs }),
      ...(q.relayed === undefined ? {} : { relayed: q.relayed }),
    }),
  __v: undefined as unknown as HttpAnswer,
};

/** A file that the controller fetches into its cache (subject: the controller), to be judged and then uploaded. */
export interface DownloadQuestion {
  /** An address, or the path of a file of the controller's. */
  readonly url: string;
  readonly ca?: string;
  /** A folder of the controller's, and a name: a file that is there takes the place of the download. */
  readonly offline?: { readonly folder: string; readonly file: string };
  /** Of a zip: names of members whose texts are wanted, in whatever directory of it. */
  readonly texts?: readonly string[];
}
export type DownloadState =
  | {
      readonly is: 'fetched';
      readonly path: string;
      readonly sizeBytes: number;
      readonly sha256: string;
      readonly contentType: string;
      /** Of a body up to 1 MiB that is UTF-8. */ readonly text?: string;
      /** Of an archive, as a host would tell them. */ readonly members?: NonNullable<ArchiveListing>;
      /** Of a zip, where they were asked for: by the paths in it. */ readonly texts?: Readonly<Record<string, string>>;
    }
  /** The reason begins with the address, or with the path in the folder. */
  | { readonly is: 'failed'; readonly reason: string; readonly hint?: string };
export const download = {
  name: 'download',
  key: ({ url, ca, offline, texts }: DownloadQuestion) => JSON.stringify({ url, ca, offline, texts }),
  __v: undefined as unknown as DownloadState,
};
