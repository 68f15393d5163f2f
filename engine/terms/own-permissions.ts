import type { Json } from './json.js';

/** What an answer says of one permission; `unknown` where it cannot say. */
export type Grant = 'granted' | 'denied' | 'unknown';

/** Where the user of an endpoint reads what it may do: nothing is changed to find out. */
export interface OwnPermissions {
  readonly endpoint: string;
  readonly path: string;
  readonly grant: (answer: Json, permission: string) => Grant;
}
