// Runs on each node: what a cluster manager such as Patroni does, as far as the playbooks ask for it. A stand-in: it moves the primary when it is
// told to and never by itself; PostgreSQL, its replication and its promotion are real.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const { name: own, members } = JSON.parse(readFileSync('/etc/cluster-api.json', 'utf8'));
const pem = readFileSync('/etc/api.pem');
const unit = 'postgresql@15-main';
const data = '/var/lib/postgresql/15/main';

const execute = promisify(execFile);
const run = async (file, ...args) => (await execute(file, args)).stdout.trim();
const sql = (statement) => run('psql', '-qAtX', '-U', 'postgres', '-c', statement);
const ask = async (member, path, method = 'GET') => {
  const answer = await fetch(`https://${members[member]}:8008${path}`, { method, signal: AbortSignal.timeout(60_000) });
  if (!answer.ok) throw new Error(`${member}: ${method} ${path}: ${await answer.text()}`);
  return answer.json();
};
const until = async (what, holds) => {
  for (let tries = 0; tries < 150; tries += 1) {
    if (await holds()) return;
    await pause(200);
  }
  throw new Error(`not in 30 s: ${what}`);
};

/** This node, read from its own server. A replica runs when it receives from the primary. */
async function look() {
  const read = `select pg_is_in_recovery(), coalesce((select status from pg_stat_wal_receiver), ''),
    coalesce(pg_last_wal_receive_lsn(), '0/0') - '0/0'::pg_lsn, current_setting('server_version')`;
  const answer = await sql(read).catch(() => undefined);
  if (answer === undefined)
    return { name: own, role: 'none', state: 'stopped', version: '', received: 0, accepts: false };
  const [replica, receiver, received, version] = answer.split('|');
  const role = replica === 't' ? 'replica' : 'primary';
  const state = role === 'primary' || receiver === 'streaming' ? 'running' : 'starting';
  return { name: own, role, state, version, received: Number(received), accepts: true };
}

let looked = { atMs: -Infinity };
/** The same, at most 0.5 s old: the load balancer asks often. */
function recent() {
  if (performance.now() - looked.atMs > 500) looked = { atMs: performance.now(), node: look() };
  return looked.node;
}

const unreached = (name) => ({ name, role: 'none', state: 'unreachable', version: '', received: 0 });
const allNodes = () =>
  Promise.all(Object.keys(members).map((member) => ask(member, '/node').catch(() => unreached(member))));

async function cluster() {
  const nodes = await allNodes();
  const primary = nodes.find(({ role }) => role === 'primary')?.name ?? '';
  return { primary, members: nodes.map(({ name, role, state, version }) => ({ name, role, state, version })) };
}

/** The old primary ends cleanly, one that has received all of its log is promoted, and the old one follows. */
async function switchover({ from }) {
  const nodes = await allNodes();
  if (nodes.find(({ name }) => name === from)?.role !== 'primary') return cluster();
  const [next] = nodes
    .filter(({ role, state }) => role === 'replica' && state === 'running')
    .sort((a, b) => b.received - a.received || a.name.localeCompare(b.name));
  if (next === undefined) throw new Error('no other member runs');
  const { checkpoint } = await ask(from, '/demote', 'POST');
  await ask(next.name, `/promote?after=${checkpoint}`, 'POST');
  await ask(from, '/start', 'POST');
  await until('all members that ran follow', async () => {
    const now = await allNodes();
    return nodes.every(
      ({ name, state }) => state !== 'running' || now.find((n) => n.name === name)?.state === 'running',
    );
  });
  return cluster();
}

const routes = {
  'GET /node': look,
  'GET /cluster': cluster,
  'GET /primary': async () => (await recent()).role === 'primary',
  'GET /replica': async () => (await recent()).role === 'replica',
  'POST /switchover': switchover,
  'POST /demote': async () => {
    await sql('checkpoint');
    await run('systemctl', 'stop', unit);
    await run('install', '-m', '600', '-o', 'postgres', '-g', 'postgres', '/dev/null', `${data}/standby.signal`);
    const control = await run('/usr/lib/postgresql/15/bin/pg_controldata', '-D', data);
    return { checkpoint: /^Latest checkpoint location: +(\S+)$/m.exec(control)[1] };
  },
  'POST /promote': async (_, { after }) => {
    await until(
      `${own} has received ${after}`,
      async () => (await sql(`select pg_last_wal_receive_lsn() > '${after}'`)) === 't',
    );
    return sql('select pg_promote()');
  },
  'POST /start': () => run('systemctl', 'start', unit),
};

createServer({ cert: pem, key: pem }, async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'https://node');
  const body = await text(request);
  const route = routes[`${request.method} ${pathname}`];
  const answer = (status, value) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (route === undefined) return answer(404, {});
  try {
    const value = await route(JSON.parse(body || '{}'), Object.fromEntries(searchParams));
    answer(value === false ? 503 : 200, value);
  } catch (error) {
    answer(500, { error: error.message });
  }
}).listen(8008);
