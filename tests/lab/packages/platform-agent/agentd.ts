import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { beDaemon } from '../common/daemon.js';
import { at, installedVersion, replace, textOf } from '../common/home.js';
import { ask } from '../common/https.js';
import { lastText, readLoose } from '../common/loose-xml.js';

const keepaliveMs = 2000;
const log = beDaemon('platform-agentd');
const version = installedVersion();
const { roots } = readLoose(textOf(at('etc/platform.conf')) ?? '');
const address = lastText(roots, 'client/server/address') ?? 'MANAGER_IP';
const manager = `https://${address}:${lastText(roots, 'client/server/port') ?? '1514'}`;
const failure = at('var/upgrade/failure');
const kind = existsSync('/usr/bin/dpkg') ? 'deb' : 'rpm';

interface Order {
  version: string;
  sha256: string;
}

let said = '';
again();

function again(): void {
  beat()
    .catch((reason: unknown) => {
      once(`(4101): No answer from the manager ${address}: ${String(reason)}`);
    })
    .finally(() => setTimeout(again, keepaliveMs));
}

/** Says "I am here, at this version", and carries out the order that the manager may answer with. */
async function beat(): Promise<void> {
  const { id, key } = await identity();
  const failed = textOf(failure)?.trim();
  const { status, body } = await ask(`${manager}/keepalive`, {
    method: 'POST',
    json: { id, key, version, kind, failed },
  });
  const answer = JSON.parse(body.toString('utf8')) as { message?: string; order?: Order | null };
  if (status !== 200) throw new Error(answer.message ?? String(status));
  once(`(4102): Connected to the server ([${address}]:1514/tcp).`);
  if (failed !== undefined) rmSync(failure);
  if (answer.order) await upgrade({ id, key }, answer.order);
}

async function identity(): Promise<{ id: string; key: string }> {
  const [id, , , key] = (textOf(at('etc/client.keys')) ?? '').trim().split(' ');
  if (id && key) return { id, key };
  const name = lastText(roots, 'client/enrollment/agent_name') ?? hostname();
  const { status, body } = await ask(`${manager}/enrol`, { method: 'POST', json: { name } });
  if (status !== 200) throw new Error(`enrolment refused: ${String(status)}`);
  const given = JSON.parse(body.toString('utf8')) as { id: string; key: string };
  replace(at('etc/client.keys'), `${given.id} ${name} any ${given.key}\n`);
  log('INFO', `Valid key received, agent id ${given.id}.`);
  return given;
}

/** Fetches the package and hands it to a job outside this service, for installing it ends this very process. */
async function upgrade(who: { id: string; key: string }, order: Order): Promise<void> {
  const { status, body } = await ask(`${manager}/package`, {
    method: 'GET',
    headers: { 'x-agent-id': who.id, 'x-agent-key': who.key, 'x-agent-kind': kind },
  });
  if (status !== 200 || createHash('sha256').update(body).digest('hex') !== order.sha256) {
    replace(failure, 'The package did not arrive whole.\n');
    return;
  }
  const file = at(`var/upgrade/platform-agent-${order.version}.${kind}`);
  replace(file, body);
  log('INFO', `Upgrading to v${order.version}.`);
  const job = ['--quiet', '--collect', '--unit=platform-agent-upgrade', at('bin/agent-upgrade-helper'), file, failure];
  execFile('systemd-run', job, (reason) => {
    if (reason) replace(failure, `The upgrade could not begin: ${reason.message}\n`);
  });
}

function once(text: string): void {
  if (text !== said) log('INFO', text);
  said = text;
}
