import type { Window } from '../lib/window.js';
import type { Json, JsonObject } from './json.js';
import type { Text } from './secret.js';

export type SecretSource =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly [string, ...string[]] }
  | { readonly prompt: string };

export interface SshSettings {
  readonly user?: string;
  readonly port?: number;
  readonly keyFile?: string;
  readonly passphrase?: Text;
  readonly password?: Text;
  readonly knownHosts?: string;
  /** `user@host:port` of each hop, in order. */
  readonly jump?: readonly string[];
  readonly config?: string;
  readonly become?: 'sudo' | 'none';
  readonly becomeUser?: string;
  readonly becomePassword?: Text;
  readonly connectTimeoutMs?: number;
}

export interface Host {
  readonly name: string;
  readonly address: string;
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  /** After precedence: inventory, then its groups in order, then its own. */
  readonly vars: JsonObject;
  readonly machine: 'ssh' | 'local' | 'model';
  /** Workers of this zone reach it, not the controller. */
  readonly zone?: string;
  readonly ssh: SshSettings;
}

export interface Endpoint {
  readonly name: string;
  /** At least one; `host` is the inventory host that serves it, where its address or name says so. */
  readonly urls: readonly { readonly url: string; readonly host?: string }[];
  /** The path that `doctor` asks, and that must answer. */
  readonly path?: string;
  readonly user?: string;
  readonly password?: Text;
  /** `token`: sign in once, as the platform says, and send a bearer token; `basic`: user and password in each request. */
  readonly auth: 'basic' | 'token' | 'none';
  /** PEM file, absolute. */
  readonly ca?: string;
  readonly servername?: string;
  /** SHA-256 of the certificate, hex. */
  readonly fingerprint?: string;
  /** `false` only when an operator says so. */
  readonly verify: boolean;
  /** Through the SSH of the hosts of this role (never the node away), or of this host. */
  readonly via?: { readonly role: string } | { readonly host: string };
}

/** When a webhook is called. */
export const WEBHOOK_EVENTS = ['start', 'phase-start', 'phase-end', 'waiting', 'failure', 'end'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export interface Webhook {
  readonly name: string;
  /** Its address, or the name of the secret that holds it. */
  readonly url: string | { readonly secret: string };
  readonly on: ReadonlySet<WebhookEvent>;
  /** The JSON to send, with `{{NAME}}` in its texts. */
  readonly body: JsonObject;
}

export interface Inventory {
  readonly files: readonly { readonly file: string; readonly text: string }[];
  /** `target`, `package_url` and whatever the platform's playbooks read as `{{platform.…}}`, without `names`. */
  readonly platform: JsonObject;
  /** Overrides of the platform's names, by group. */
  readonly names: Readonly<Record<string, JsonObject>>;
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly secrets: Readonly<Record<string, SecretSource>>;
  /** In the order written. */
  readonly hosts: readonly Host[];
  readonly vars: JsonObject;
  readonly window?: Window;
  /** How many persons other than its author must approve a plan before it is applied. */
  readonly approvals?: number;
  readonly notify?: readonly Webhook[];
  /** Present when hosts are the embedded model's: a process that holds its state, by socket path, or a state made on the spot. */
  readonly model?: { readonly socket: string } | { readonly from: string; readonly options?: Json };
}
