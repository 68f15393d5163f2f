import { isHostAddress } from '../lib/host-address.js';
import type { Json, JsonObject } from '../terms/json.js';
import { jumpFrom, otherOptions } from './jump.js';
import type { ResolvedHost } from './resolve.js';
import { isVaulted } from './types.js';

/** How Ansible reaches a host. Passwords are left out: only that there is one is known. */
export interface Connection {
  readonly address?: string;
  readonly user?: string;
  readonly port?: number;
  readonly key?: string;
  readonly jump?: readonly string[];
  readonly become?: boolean;
  readonly becomeUser?: string;
  readonly hasPassword: boolean;
  readonly hasBecomePassword: boolean;
  readonly local: boolean;
  /** Options of ssh and variables that an inventory of ours has no place for, by name. */
  readonly notTaken: readonly string[];
}

/** Of several names of one variable the last one that is set wins, as in Ansible. */
const NAMES = {
  address: ['ansible_host', 'ansible_ssh_host'],
  user: ['ansible_user', 'ansible_ssh_user'],
  port: ['ansible_port', 'ansible_ssh_port'],
  key: ['ansible_private_key_file', 'ansible_ssh_private_key_file'],
  become: ['ansible_become'],
  becomeUser: ['ansible_become_user'],
  commonArgs: ['ansible_ssh_common_args'],
  extraArgs: ['ansible_ssh_extra_args'],
  method: ['ansible_become_method'],
  connection: ['ansible_connection'],
} as const;
const PASSWORDS = ['ansible_password', 'ansible_ssh_pass', 'ansible_ssh_password'];
const BECOME_PASSWORDS = [
  'ansible_become_password',
  'ansible_become_pass',
  'ansible_sudo_pass',
  'ansible_sudo_password',
];
const SSH = new Set([
  '',
  'ssh',
  'smart',
  'paramiko',
  'paramiko_ssh',
  'ansible.builtin.ssh',
  'local',
  'ansible.builtin.local',
]);

/** A value of a host's connection that cannot be used. What to do about it depends on its code. */
export interface ConnectionMistake {
  readonly code: 'encrypted' | 'no address' | 'connection' | 'value';
  readonly text: string;
}

/** The connection of a host; `mistakes` are values that cannot be used. */
export function connectionOf(host: ResolvedHost): {
  readonly connection: Connection;
  readonly mistakes: readonly ConnectionMistake[];
} {
  const mistakes: ConnectionMistake[] = [];
  const wrong = (text: string, code: ConnectionMistake['code'] = 'value'): void => void mistakes.push({ code, text });
  const read = (of: keyof typeof NAMES): string => {
    const name = NAMES[of].findLast((one) => host.vars[one] !== undefined && host.vars[one] !== null);
    if (name === undefined) return '';
    const value = textOf(host.vars[name], host);
    if (typeof value === 'string') return value;
    wrong(`${name} ${value.mistake}`, value.isEncrypted === true ? 'encrypted' : 'value');
    return '';
  };
  const port = read('port');
  if (port !== '' && !/^\d{1,5}$/.test(port)) wrong(`ansible_port: "${port}" is not a port`);
  const address = read('address');
  if (!isHostAddress(address === '' ? host.name : address)) {
    if (address === '') wrong('its name is no DNS name or IP address, and it has no ansible_host', 'no address');
    else wrong(`ansible_host: ${JSON.stringify(address)} is no DNS name or IP address`);
  }
  const [method, connection] = [read('method'), read('connection')];
  if (!['', 'sudo', 'ansible.builtin.sudo'].includes(method))
    wrong(`ansible_become_method: "${method}" is not supported; only sudo is`);
  if (!SSH.has(connection))
    wrong(`ansible_connection: "${connection}" is not supported; only ssh and local are`, 'connection');
  const args = `${read('commonArgs')} ${read('extraArgs')}`;
  const jump = jumpFrom(args);
  if (jump !== undefined && 'mistake' in jump) wrong(`ansible_ssh_common_args: ${jump.mistake}`);
  const become = read('become');
  const has = (names: readonly string[]): boolean => names.some((name) => (host.vars[name] ?? '') !== '');
  return {
    mistakes,
    connection: {
      ...textPart('address', address),
      ...textPart('user', read('user')),
      ...(port === '' ? {} : { port: Number(port) }),
      ...textPart('key', read('key')),
      ...(jump === undefined || 'mistake' in jump ? {} : { jump }),
      ...(become === '' ? {} : { become: /^(?:true|yes|on|1|y|t)$/i.test(become) }),
      ...textPart('becomeUser', read('becomeUser')),
      hasPassword: has(PASSWORDS),
      hasBecomePassword: has(BECOME_PASSWORDS),
      local: connection.endsWith('local'),
      notTaken: [...otherOptions(args), ...otherVars(host)],
    },
  };
}

/** Variables that are neither Ansible's own nor part of a value of those. */
function otherVars({ vars }: ResolvedHost): readonly string[] {
  const own = Object.entries(vars).filter(([name]) => name.startsWith('ansible_'));
  const used = own.flatMap(([, value]) =>
    typeof value === 'string' ? [...value.matchAll(PLAIN_TEMPLATE)].map(([, name]) => name) : [],
  );
  return Object.keys(vars)
    .filter((name) => !name.startsWith('ansible_') && !used.includes(name))
    .sort();
}

const textPart = <K extends string>(key: K, text: string): { readonly [P in K]?: string } =>
  (text === '' ? {} : { [key]: text }) as { readonly [P in K]?: string };

const PLAIN_TEMPLATE = /\{\{\s*(\w+)\s*\}\}/g;

interface ValueMistake {
  readonly mistake: string;
  readonly isEncrypted?: true;
}
const ENCRYPTED: ValueMistake = { mistake: 'is encrypted with Ansible Vault', isEncrypted: true };

/** A value as text. `{{ NAME }}` is replaced by that variable of the host; any other template is Ansible's to evaluate. */
function textOf(value: Json | undefined, host: ResolvedHost, depth = 0): string | ValueMistake {
  if (isVaulted(value)) return ENCRYPTED;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return { mistake: 'is not a text' };
  const vars: JsonObject = {
    inventory_hostname: host.name,
    inventory_hostname_short: host.name.split('.')[0] ?? '',
    ...host.vars,
  };
  let missing: ValueMistake | undefined;
  const text = value.replaceAll(PLAIN_TEMPLATE, (_whole, name: string) => {
    const inner =
      depth > 10 || vars[name] === undefined ? { mistake: `needs "${name}"` } : textOf(vars[name], host, depth + 1);
    if (typeof inner === 'string') return inner;
    missing ??=
      inner.isEncrypted === true ? inner : { mistake: `needs the variable "${name}", which has no plain value here` };
    return '';
  });
  if (missing !== undefined) return missing;
  return /\{[{%]/.test(text) ? { mistake: `"${value}" is a template that only Ansible evaluates` } : text;
}
