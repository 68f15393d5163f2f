import { nearest } from '../../lib/nearest.js';
import type { Endpoint, Host, SecretSource } from '../../terms/inventory.js';
import { secretAt } from './ssh.js';
import { type Layered, pathIn, spotIn } from './layers.js';
import type { LoadContext } from '../load-context.js';
import { suggest } from '../mistakes.js';
import { defined } from '../../lib/defined.js';
import { textOf, textsOf } from '../values.js';

/** An endpoint; its addresses are those of inventory hosts where address or name says so. One without an address is a mistake, and stays: what names it is right. */
export function buildEndpoint(context: LoadContext, name: string, part: Layered, hosts: readonly Host[]): Endpoint {
  const { json } = part;
  const urls = urlsOf(context, name, part);
  const user = textOf(json['user']);
  const written = json['auth'];
  const stated = written === 'basic' || written === 'token' || written === 'none' ? written : undefined;
  const auth: Endpoint['auth'] = stated ?? (user === undefined ? 'none' : 'basic');
  if (auth === 'token' && context.offers?.tokenSignIn === false) {
    context.mistakes.at(spotIn(part, ['auth']), `endpoint "${name}": this platform has no sign-in by token`, {
      hint: 'use auth: basic or auth: none',
    });
  } else if (user === undefined && auth !== 'none') {
    context.mistakes.at(spotIn(part, ['auth']), `endpoint "${name}": signs in by ${auth} and has no user`, {
      hint: 'add `user` and `password`',
    });
  }
  if (user !== undefined && json['password'] === undefined && auth !== 'none') {
    context.mistakes.at(spotIn(part, ['user']), `endpoint "${name}": has a user and no password`, {
      hint: 'such as password: "{{secret.NAME}}"',
    });
  }
  const ca = textOf(json['ca']);
  return defined({
    name,
    urls: urls.map((url) => ({ url, ...hostOf(url, hosts) })),
    path: textOf(json['path']),
    user,
    password: secretAt(context, part, ['password'], textOf(json['password'])),
    auth,
    ca: ca === undefined ? undefined : pathIn(part, ['ca'], ca, context.env),
    servername: textOf(json['servername']),
    fingerprint: textOf(json['fingerprint'])?.replaceAll(':', '').toLowerCase(),
    verify: json['verify'] !== false,
    via: viaOf(context, part, hosts),
  });
}

function urlsOf({ mistakes }: LoadContext, name: string, part: Layered): readonly string[] {
  const { url, urls } = part.json;
  if (url !== undefined && urls !== undefined)
    mistakes.at(spotIn(part, ['url'], 'key'), `endpoint "${name}": has both url and urls`, {
      hint: 'keep one of them',
    });
  if (url === undefined && urls === undefined)
    mistakes.at(spotIn(part, [], 'key'), `endpoint "${name}": has no address`, {
      hint: 'such as url: https://10.0.0.21:55000',
    });
  const written = [
    ...textsOf(url === undefined ? [] : [url]).map((text) => ({ text, at: ['url'] })),
    ...textsOf(urls).map((text, i) => ({ text, at: ['urls', i] })),
  ];
  return written.flatMap(({ text, at }) => {
    if (!/^https?:\/\//.test(text)) return [];
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    if (parsed === undefined || text.includes('{{')) {
      mistakes.at(spotIn(part, at), `endpoint "${name}": ${JSON.stringify(text)} is no address`, {
        hint: 'such as https://10.0.0.21:55000',
      });
      return [];
    }
    if (parsed.username !== '' || parsed.password !== '') {
      mistakes.at(spotIn(part, at), `endpoint "${name}": an address holds no user and no password`, {
        hint: 'write them as `user` and `password: "{{secret.NAME}}"`',
      });
      return [];
    }
    return [text.replace(/\/+$/, '')];
  });
}

function hostOf(url: string, hosts: readonly Host[]): { readonly host?: string } {
  const wanted = new URL(url).hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const host =
    hosts.find((h) => h.address.toLowerCase() === wanted) ?? hosts.find((h) => h.name.toLowerCase() === wanted);
  return host === undefined ? {} : { host: host.name };
}

function viaOf({ mistakes }: LoadContext, part: Layered, hosts: readonly Host[]): Endpoint['via'] {
  const [kind, ...rest] = (textOf(part.json['via']) ?? '').split('.');
  const name = rest.join('.');
  if (kind === 'host' && !hosts.some((h) => h.name === name)) {
    const names = hosts.map((h) => h.name);
    mistakes.at({ ...spotIn(part, ['via']), word: name }, `there is no host "${name}"`, {
      hint: suggest(nearest(name, names), names, 'hosts'),
    });
  }
  return kind === 'role' ? { role: name } : kind === 'host' ? { host: name } : undefined;
}

/** Where a secret comes from; a file is seen from the inventory that names it. */
export function buildSecret(context: LoadContext, part: Layered): SecretSource | undefined {
  const { env, file, command, prompt } = part.json;
  if (typeof env === 'string') return { env };
  if (typeof file === 'string') return { file: pathIn(part, ['file'], file, context.env) };
  if (typeof prompt === 'string') return { prompt };
  const [program, ...args] = textsOf(command);
  return program === undefined ? undefined : { command: [program, ...args] };
}
