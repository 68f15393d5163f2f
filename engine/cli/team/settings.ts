import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EXIT, refusal, type Refusal } from '../options/exit.js';
import type { NatsOptions } from '../../store/nats/options.js';
import { isObject, type Json } from '../../terms/json.js';
import { isAddress, notAName } from '../../store/server-name.js';
import { nearest } from '../../lib/nearest.js';
import { pathFrom, userFolder } from '../../lib/home.js';
import { MOST_OF, readFileWithin } from '../../lib/bounded-file.js';

/** The store that a team shares its runs in, and how it is reached. */
export interface TeamSettings {
  /** `NAME:PORT` each. */
  readonly servers: readonly string[];
  /** The store's name there. */
  readonly store: string;
  readonly caFile?: string;
  readonly credentialsFile?: string;
  readonly userFile?: string;
  readonly passwordFile?: string;
}

type Mistake = { readonly mistake: string };
type Env = Readonly<Record<string, string | undefined>>;

/** Keys of a configuration file; each is also a variable of the environment, as in `store_ca` and RUNBOOK_STORE_CA. */
const KEYS = ['store', 'store_ca', 'store_credentials', 'store_user', 'store_password'] as const;
const FILES = KEYS.slice(1);
type Key = (typeof KEYS)[number];
type Values = Partial<Record<Key, string>>;

const EXAMPLE = 'nats://nats-1.example:4222,nats-2.example:4222/NAME';
const URL = /^nats:\/\/([^/@\s]+)\/([A-Za-z0-9][A-Za-z0-9_-]{0,99})$/;

/** The project's configuration is beside its inventory. */
export const projectConfig = (inventory: string): string => join(dirname(inventory), 'runbook.config.yaml');

/** What needs a store, and how one is configured. */
export const noStore = (inventory: string, what: string, more = ''): Refusal =>
  refusal(EXIT.invalid, what, `store: nats://… in ${projectConfig(inventory)}, or RUNBOOK_STORE${more}`);

const userConfig = (env: Env): string => join(userFolder(env, 'XDG_CONFIG_HOME', '.config'), 'config.yaml');

/**
 * What the environment says, else the project's configuration, else the user's; undefined where none names a store. Files are relative to
 * the file that names them. An empty text is as if the key were not there.
 */
export async function teamSettings(inventory: string, env: Env): Promise<TeamSettings | Mistake | undefined> {
  let values: Values = {};
  for (const file of [userConfig(env), projectConfig(inventory)]) {
    if (!existsSync(file)) continue;
    const read = await readConfig(file, env);
    if ('mistake' in read) return read;
    values = { ...values, ...read.values };
  }
  for (const key of KEYS) {
    const text = env[`RUNBOOK_${key.toUpperCase()}`];
    if (text !== undefined) values = { ...values, [key]: key === 'store' || text === '' ? text : resolve(text) };
  }
  const given = Object.entries(values).filter(([, value]) => value !== '');
  return settingsOf(Object.fromEntries(given));
}

async function readConfig(file: string, env: Env): Promise<{ readonly values: Values } | Mistake> {
  const { parse } = await import('yaml');
  let json: Json;
  try {
    json = (parse(readFileWithin(file, MOST_OF.text).toString('utf8')) ?? {}) as Json;
  } catch (error) {
    return { mistake: `${file} is not YAML: ${(error as Error).message.split('\n')[0] ?? ''}` };
  }
  if (!isObject(json)) return { mistake: `${file} is not a map of keys: ${KEYS.join(', ')}` };
  const values: Values = {};
  for (const [name, value] of Object.entries(json)) {
    const key = KEYS.find((one) => one === name);
    if (key === undefined) {
      const meant = nearest(name, KEYS);
      return {
        mistake: `${file}: "${name}" is no key${meant === undefined ? `; ${KEYS.join(', ')} are` : `; did you mean ${meant}?`}`,
      };
    }
    if (typeof value !== 'string') return { mistake: `${file}: ${key} takes a text` };
    values[key] = key === 'store' ? value : pathFrom(file, value, env);
  }
  return { values };
}

function settingsOf(values: Values): TeamSettings | Mistake | undefined {
  if (values.store === undefined) return undefined;
  const [, servers = '', store = ''] = URL.exec(values.store) ?? [];
  // It may hold a password.
  if (store === '') return { mistake: `store (or RUNBOOK_STORE) is not as in ${EXAMPLE}` };
  if ((values.store_user === undefined) !== (values.store_password === undefined))
    return { mistake: 'store_user and store_password, files with one line each, go together' };
  const missing = FILES.find((key) => values[key] !== undefined && !existsSync(values[key]));
  if (missing !== undefined) return { mistake: `${missing}: the file ${values[missing] ?? ''} is missing` };
  const address = servers.split(',').find(isAddress);
  if (address !== undefined) return { mistake: `store (or RUNBOOK_STORE): ${notAName(address)}` };
  return {
    servers: servers.split(','),
    store,
    ...(values.store_ca === undefined ? {} : { caFile: values.store_ca }),
    ...(values.store_credentials === undefined ? {} : { credentialsFile: values.store_credentials }),
    ...(values.store_user === undefined ? {} : { userFile: values.store_user }),
    ...(values.store_password === undefined ? {} : { passwordFile: values.store_password }),
  };
}

/** As it is shown. */
export const storeName = ({ servers, store }: TeamSettings): string => `nats://${servers.join(',')}/${store}`;

export function natsOptions(settings: TeamSettings): NatsOptions {
  const { servers, store, caFile, credentialsFile, userFile, passwordFile } = settings;
  const login =
    credentialsFile !== undefined
      ? { credentialsFile }
      : userFile !== undefined && passwordFile !== undefined
        ? { userFile, passwordFile }
        : undefined;
  return {
    servers,
    store,
    ...(caFile === undefined ? {} : { caFile }),
    ...(login === undefined ? {} : { login }),
  };
}
