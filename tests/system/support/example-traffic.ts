import { Agent, get, type RequestOptions } from 'node:http';
import { get as getOverTls } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { addressOf } from './example-hosts.js';
import { balancer, password, servers } from './example-web.js';

export interface Traffic {
  /** The servers that answered. */
  readonly servedBy: ReadonlySet<string>;
  /** Requests without a whole answer of status 200. */
  readonly lost: readonly string[];
  /** The smallest number of servers that HAProxy sent requests to. */
  fewest(): number;
  stop(): Promise<void>;
}

/** Clients of the load balancer that send the next request when the last one is answered, and one of its statistics. */
export function startTraffic(ca: string): Traffic {
  const servedBy = new Set<string>();
  const lost: string[] = [];
  let fewest = servers.length;
  const stop = new AbortController();
  const repeat = async (everyMs: number, ask: () => Promise<void>): Promise<void> => {
    while (!stop.signal.aborted) {
      await ask().catch((error: unknown) => lost.push(String(error)));
      await pause(everyMs);
    }
  };
  const client = (path: string, everyMs: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true });
    return repeat(everyMs, async () => {
      servedBy.add((await request(get, { host: addressOf(balancer), path, agent })).server);
    }).finally(() => {
      agent.destroy();
    });
  };
  const statistics = { host: addressOf(balancer), port: 8404, path: '/stats;csv', auth: `runbook:${password}`, ca };
  const done = Promise.all([
    ...[client('/', 10), client('/', 15), client('/slow', 1), client('/slow', 1), client('/slow', 1)],
    repeat(100, async () => {
      const { body } = await request(getOverTls, statistics);
      fewest = Math.min(fewest, body.match(/^web,web-.*,UP[^,]*,/gm)?.length ?? 0);
    }),
  ]);
  return {
    servedBy,
    lost,
    fewest: () => fewest,
    async stop() {
      stop.abort();
      await done;
    },
  };
}

function request(send: typeof get, options: RequestOptions): Promise<{ server: string; body: string }> {
  return new Promise((resolve, reject) => {
    send(options, (response) => {
      text(response).then((body) => {
        if (response.statusCode === 200) resolve({ server: String(response.headers['x-served-by']), body });
        else reject(new Error(`${options.path ?? ''}: status ${response.statusCode ?? 0}`));
      }, reject);
    }).on('error', reject);
  });
}
