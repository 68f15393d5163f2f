import { spawn } from 'node:child_process';
import type { ExampleHosts } from '../support/example-hosts.js';
import { balancer } from './config.js';
import { through } from './hosts.js';

/** Inserts one row after the other and prints its id once it is committed; connects again when it has to. */
const writer = `while :; do
  psql -qAtX '${through('writes')}' <<'END' || sleep 0.05
insert into written default values returning id \\watch 0.05
END
done 2>/dev/null`;

/** Short sessions, each a read of 0.3 s; prints an error where one did not end by itself. */
const reader = `while :; do psql -qAtX '${through('reads')}' -c "select 'read' from pg_sleep(0.3)" 2>&1; done`;

export interface Clients {
  /** The rows whose insertion the database acknowledged. */
  readonly acknowledged: readonly number[];
  /** How many reads had their answer. */
  reads(): number;
  /** What readers were told instead. */
  readonly errors: readonly string[];
  stop(): Promise<void>;
}

/** Clients of the load balancer, a writer and two readers, beside it. */
export function startClients(hosts: ExampleHosts): Clients {
  const acknowledged: number[] = [];
  const errors: string[] = [];
  let reads = 0;
  const read = (line: string): void => {
    if (line === 'read') reads += 1;
    else errors.push(line);
  };
  const write = (line: string): void => {
    if (/^\d+$/.test(line)) acknowledged.push(Number(line));
  };
  const clients = [client(hosts, writer, write), client(hosts, reader, read), client(hosts, reader, read)];
  return {
    acknowledged,
    reads: () => reads,
    errors,
    async stop() {
      await Promise.all(clients.map((each) => each.stop()));
    },
  };
}

/** A shell script on the balancer's host, and each line that it prints. */
function client(hosts: ExampleHosts, script: string, onLine: (line: string) => void): { stop(): Promise<void> } {
  const child = spawn('ssh', [...hosts.sshTo(balancer), script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const done = (async () => {
    let rest = '';
    for await (const part of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(onLine);
    }
  })();
  return {
    async stop() {
      child.kill();
      await done;
    },
  };
}
