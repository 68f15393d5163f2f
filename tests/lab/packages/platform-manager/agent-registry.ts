import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { at, replace, textOf } from '../common/home.js';
import { compareDeb } from '../../../../engine/lib/version.js';

/** What an agent last told of itself. Times are milliseconds since 1970. */
export interface Seen {
  id: string;
  name: string;
  ip: string;
  /** Bare: `4.12.0`. */
  version: string;
  node: string;
  atMs: number;
}

/** An upgrade that an agent has to run, and its progress. */
export interface Order {
  id: string;
  /** The API's number for it; 0 when the remote upgrade tool gave the order. */
  taskId: number;
  version: string;
  atMs: number;
  status: 'In queue' | 'Updating' | 'Updated' | 'Error';
  message?: string;
  /** The package file that the order names; absent: the one of that version in `var/upgrade`. */
  file?: string;
}

const keys = at('etc/client.keys');

/** The agents that have a key here, connected or not. */
export function enrolled(): { id: string; name: string; key: string }[] {
  return (textOf(keys) ?? '').split('\n').flatMap((line) => {
    const [id, name, , key] = line.split(' ');
    return id && name && key ? [{ id, name, key }] : [];
  });
}

/** Gives an agent an id and a key; an agent that asks again gets the ones it has. */
export function enrol(name: string): { id: string; key: string } {
  const before = enrolled();
  const known = before.find((agent) => agent.name === name);
  if (known) return known;
  const id = String(Math.max(0, ...before.map((agent) => Number(agent.id))) + 1).padStart(3, '0');
  const key = randomBytes(32).toString('hex');
  replaceKeys(`${textOf(keys) ?? ''}${id} ${name} any ${key}\n`);
  return { id, key };
}

/** Writes the whole list of keys, as a worker gets it from its master. */
export function replaceKeys(text: string): void {
  if (textOf(keys) === text) return;
  replace(keys, text);
}

/** Notes a keepalive, and closes the agent's order when it runs the version that was asked for. */
export function noteSeen(seen: Seen): void {
  replace(at(`queue/agents/${seen.id}.json`), JSON.stringify(seen));
  const order = orderOf(seen.id);
  if (order && order.status !== 'Updated' && compareDeb(seen.version, order.version) >= 0)
    noteOrder({ ...order, status: 'Updated' });
}

/** All agents that were ever seen, in the order of their ids. */
export function allSeen(): Seen[] {
  return all('queue/agents') as Seen[];
}

/** Notes an order, or how far it is. */
export function noteOrder(order: Order): void {
  replace(at(`queue/orders/${order.id}.json`), JSON.stringify(order));
}

/** The order of an agent, finished or not. */
export function orderOf(id: string): Order | undefined {
  const text = textOf(at(`queue/orders/${id}.json`));
  return text === undefined ? undefined : (JSON.parse(text) as Order);
}

/** All orders, in the order of the agents' ids. */
export function allOrders(): Order[] {
  return all('queue/orders') as Order[];
}

/** Forgets an order that came to nothing, so that another can be given. */
export function dropOrder(id: string): void {
  rmSync(at(`queue/orders/${id}.json`), { force: true });
}

function all(folder: string): unknown[] {
  if (!existsSync(at(folder))) return [];
  return readdirSync(at(folder))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(textOf(at(`${folder}/${name}`)) ?? 'null') as unknown);
}
