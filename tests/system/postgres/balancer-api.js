// Runs on the load balancer: HAProxy has no interface over HTTP that drains, so this stand-in passes requests on to its runtime socket.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

const pem = readFileSync('/etc/api.pem');
const DRAINED = 0x08; // a bit of srv_admin_state

/** A command of HAProxy's runtime interface. */
function haproxy(command) {
  const socket = connect('/run/haproxy/admin.sock');
  socket.end(`${command}\n`);
  return text(socket);
}

/** Each server by its name: it is in both backends. */
async function servers() {
  const all = {};
  for (const line of (await haproxy('show servers state'))
    .split('\n')
    .filter((each) => /^\d+ (writes|reads) /.test(each))) {
    const [, , , name, , , admin] = line.split(' ');
    all[name] = { mode: Number(admin) & DRAINED ? 'drain' : 'ready', sessions: 0 };
  }
  for (const line of (await haproxy('show stat')).split('\n')) {
    const [, name, , , sessions] = line.split(',');
    if (name in all) all[name].sessions += Number(sessions);
  }
  return all;
}

createServer({ cert: pem, key: pem }, async (request, response) => {
  const answer = (status, value) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const [, , name] = request.url.split('/');
  const body = await text(request);
  const all = await servers();
  if (name === undefined) return answer(200, all);
  if (!(name in all)) return answer(404, {});
  if (request.method !== 'PUT') return answer(200, all[name]);
  const mode = JSON.parse(body).mode === 'drain' ? 'drain' : 'ready';
  for (const backend of ['writes', 'reads']) await haproxy(`set server ${backend}/${name} state ${mode}`);
  answer(200, (await servers())[name]);
}).listen(8404);
