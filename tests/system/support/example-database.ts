import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificate } from './example-certificate.js';
import { addressOf, bootExample, type ExampleHosts } from './example-hosts.js';
import { etcd, members, password, patroni } from './example-patroni.js';

const addresses = members.map(addressOf);
const uri = `postgresql://postgres:${password}@${addresses.join(',')}/postgres?target_session_attrs=read-write&connect_timeout=2`;

/** Three members of a cluster, PostgreSQL with Patroni and etcd, that all follow the leader. */
export async function bootDatabase(version: string): Promise<ExampleHosts> {
  const pem = certificate(addresses);
  const machines = members.map((number) => {
    const name = `db-${number - 20}`;
    const files = {
      'etc/default/etcd': etcd(name, addressOf(number)),
      'etc/patroni/config.yml': patroni(name, addressOf(number)),
      'etc/patroni/api.pem': pem,
      // A member that cannot start fails at once, not after some attempts.
      'etc/systemd/system/patroni.service.d/restart.conf': '[Service]\nRestart=no\n',
    };
    return { name, number, files, units: ['etcd', 'patroni'] };
  });
  const hosts = await bootExample('database', machines);
  writeFileSync(join(hosts.folder, 'ca.pem'), pem);
  writeFileSync(join(hosts.folder, 'password'), password, { mode: 0o600 });
  writeFileSync(
    join(hosts.folder, 'inventory.yaml'),
    `endpoints:
  patroni:
    urls: [${addresses.map((each) => `"https://${each}:8008"`).join(', ')}]
    user: patroni
    password: "{{secret.patroni}}"
    ca: ca.pem
secrets: { patroni: { file: password } }
ssh: { user: ops, key: key, known_hosts: known_hosts, become: sudo }
vars: { package_version: ${version} }
hosts: { "db-[1:3]": { address: "10.231.78.2{{n}}", roles: [database] } }
`,
  );
  await hosts.on(
    21,
    `until curl -sk https://${addressOf(21)}:8008/cluster | grep -q '"lag": 0.*"lag": 0'; do sleep 0.3; done`,
  );
  return hosts;
}

/** Runs SQL on the leader. */
export const sql = (hosts: ExampleHosts, text: string): Promise<string> =>
  hosts.on(21, `psql -qAtX -v ON_ERROR_STOP=1 '${uri}' <<'SQL'\n${text}\nSQL\n`);

export interface Writer {
  /** The rows whose insertion the database acknowledged. */
  readonly acknowledged: readonly number[];
  stop(): Promise<void>;
}

/** A client that inserts one row after the other, and connects again to whichever member is the leader. */
export function startWriter(hosts: ExampleHosts): Writer {
  const acknowledged: number[] = [];
  const stop = new AbortController();
  let child: ChildProcess | undefined;
  const connect = async (): Promise<void> => {
    const { stdin, stdout } = (child = spawn('ssh', [...hosts.sshTo(21), `psql -qAtX '${uri}'`]));
    stdin.on('error', () => undefined).write('insert into written default values returning id \\watch 0.05\n');
    let rest = '';
    for await (const part of stdout.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      acknowledged.push(...lines.filter((line) => /^\d+$/.test(line)).map(Number));
    }
  };
  const done = (async () => {
    while (!stop.signal.aborted) await connect();
  })();
  return {
    acknowledged,
    async stop() {
      stop.abort();
      child?.kill();
      await done;
    },
  };
}
