import { posix } from 'node:path';
import { readCertificates } from '../../../../facts/certificate.js';
import { isSignedBy } from '../../../../lib/certificates.js';
import { below, entryAt, textAt } from '../../../../simulator/files.js';
import { serves } from '../cluster.js';
import { shipFiles } from '../events.js';
import { isUp } from '../../../../simulator/units.js';
import type { HostState, PlatformState } from '../state.js';
import { done, fails, type Call, type Ended } from './call.js';

/** The shipper's own program: `version`, `test config|output`, `setup --pipelines|--index-management` (§4.3). */
export function shipper(call: Call): Ended {
  const { state, host, args } = call;
  const n = state.names.shipper;
  const verb = args.find((a, i) => !a.startsWith('-') && !['--path.data', '-c'].includes(args[i - 1] ?? '')) ?? '';
  if (verb === 'version') return done(`${n.service} version ${n.version} (amd64), libbeat ${n.version}\n`);
  const config = args.includes('-c') ? (args[args.indexOf('-c') + 1] ?? '') : n.config;
  const entry = entryAt(host, config);
  if (entry === undefined)
    return fails(1, `Exiting: error loading config file: stat ${config}: no such file or directory\n`);
  if ((Number.parseInt(entry.mode, 8) & 0o022) !== 0) {
    return fails(
      1,
      `Exiting: error loading config file: config file ("${config}") can only be writable by the owner but the permissions are "${entry.mode}" (to fix the permissions use: 'chmod go-w ${config}')\n`,
    );
  }
  if (verb === 'test' && args.includes('config')) return done('Config OK\n');
  if (verb === 'test' && !args.includes('output')) return fails(1, 'Usage: filebeat test [config|output]\n');
  if (verb === 'test') return testOutput(state, host, config);
  if (verb === 'run') return runOnce(call);
  if (verb !== 'setup') return fails(1, `Error: unknown command "${verb}" for "${n.service}"\n`);
  if (sendsElsewhere(host, config)) {
    if (args.includes('--pipelines')) return done('');
    return fails(1, 'Exiting: Index management requested but the Elasticsearch output is not configured/enabled\n');
  }
  if (reachable(state, host, config) === undefined) {
    return fails(
      1,
      "Exiting: couldn't connect to any of the configured Elasticsearch hosts. Errors: [error connecting to Elasticsearch: connection refused]\n",
      1_000,
    );
  }
  const all = !args.includes('--pipelines') && !args.includes('--index-management');
  let out = '';
  if (all || args.includes('--index-management')) {
    const template = textAt(host, n.template);
    if (template === undefined || !isJson(template))
      return fails(1, `Exiting: error loading template: could not load template from file ${n.template}\n`, 1_000);
    state.cluster.templates[n.template_name] = template;
    out += 'Index setup finished.\n';
  }
  if (all || args.includes('--pipelines')) out += loadPipelines(state, host);
  return done(out, 3_000);
}

/**
 * `--path.data DIR run --once -M MODULE.alerts.var.paths=[FILE,DIR/*.json]`: each file from where the registry stands to its end. One
 * shipper at a time has a data directory.
 */
function runOnce({ state, host, args }: Call): Ended {
  const settings = args.filter((_, i) => args[i - 1] === '-M').join('\n');
  // A file that is read to its end must be closed, or it never ends.
  if (!/\.close_eof=true$/m.test(settings)) return fails(124, 'it reads on and on\n');
  const at = args.indexOf('--path.data');
  const data = at < 0 ? undefined : args[at + 1];
  if (data === undefined && isUp(host, state.names.shipper.service))
    return fails(
      1,
      'Exiting: data path already locked by another beat. Please make sure that multiple beats are not sharing the same data path (path.data).\n',
    );
  const [, paths = state.names.manager.alerts] = /\.var\.paths=\[([^\]]*)\]/.exec(settings) ?? [];
  shipFiles(
    state,
    host,
    paths.split(',').flatMap((path) => filesAt(host, path)),
    data,
  );
  return done('', 1_000);
}

/** A path, or those that `DIR/*.END` means. */
function filesAt(host: HostState, path: string): readonly string[] {
  const [dir = '', end] = path.split('/*');
  if (end === undefined) return [path];
  return below(host, dir).filter((p) => p.endsWith(end) && !p.slice(dir.length + 1).includes('/'));
}

/** Says that it loaded pipelines even when there is no module: what the indexer has is what counts. */
function loadPipelines(state: PlatformState, host: HostState): string {
  const n = state.names.shipper;
  for (const path of below(host, `${n.module_dir}/${n.module}`)) {
    if (!/\/ingest\/[^/]+\.json$/.test(path)) continue;
    const text = textAt(host, path) ?? '';
    if (isJson(text)) state.cluster.pipelines[n.pipeline] = text;
  }
  return 'Loaded Ingest pipelines\n';
}

/**
 * Each indexer of its configuration in turn, every stage on a line of standard output, until one fails: what is wrong is there too, with status 1
 * and nothing on standard error.
 */
function testOutput(state: PlatformState, host: HostState, config: string): Ended {
  const hosts = addresses(host, config);
  if (sendsElsewhere(host, config))
    return done(`logstash: ${hosts[0] ?? ''}...\n  connection...\n    parse host... OK\n  talk to server... OK\n`, 500);
  let stdout = '';
  for (const address of hosts) {
    const { text, ok } = testHost(state, host, config, address);
    stdout += text;
    if (!ok) return { exit: 1, stdout, stderr: '', tookMs: 500 };
  }
  return done(stdout, 500);
}

/** `sh -c SCRIPT sh PROGRAM CONFIG`: the test, and where an indexer is down each of the others, until one answers or something else is wrong. */
export function shipperAnyHost(call: Call): Ended {
  const { state, host, args } = call;
  const [name = '', config = ''] = args.slice(3);
  const tried = shipper({ ...call, args: ['test', 'output', '-c', config] });
  if (tried.exit === 0 || host.files[name] === undefined) return tried;
  let [said, stdout] = [tried.stdout, tried.stdout];
  for (const address of addresses(host, config)) {
    if (said.includes('talk to server... OK')) return done(stdout, 500);
    if (!said.includes('... ERROR dial ')) break;
    said = testHost(state, host, config, address).text;
    stdout += said;
  }
  return said.includes('talk to server... OK') ? done(stdout, 500) : { ...tried, stdout };
}

function testHost(state: PlatformState, host: HostState, config: string, address: string) {
  const node = servingAt(state, address);
  const head = `elasticsearch: https://${address}...\n  parse url... OK\n  connection...\n    parse host... OK\n    dns lookup... OK\n    addresses: ${address.split(':')[0] ?? ''}\n`;
  if (node === undefined)
    return { ok: false, text: `${head}    dial up... ERROR dial tcp ${address}: connect: connection refused\n` };
  const dialed = `${head}    dial up... OK\n  TLS...\n    security: server's certificate chain verification is enabled\n`;
  if (!trusts(state, host, node, config))
    return { ok: false, text: `${dialed}    handshake... ERROR x509: certificate signed by unknown authority\n` };
  const shaken = `${dialed}    handshake... OK\n    TLS version: TLSv1.3\n    dial up... OK\n  talk to server... `;
  if (!signsIn(state, host, config)) return { ok: false, text: `${shaken}ERROR 401 Unauthorized: Unauthorized\n` };
  return { ok: true, text: `${shaken}OK\n  version: ${state.names.shipper.version}\n` };
}

/** The CA of its configuration, as it is there now, signed the node's certificate. */
function trusts(state: PlatformState, host: HostState, node: HostState, config: string): boolean {
  const { indexer } = state.names;
  const [, authority] = /certificate_authorities:\s*-\s*(\S+)/.exec(textAt(host, config) ?? '') ?? [];
  const [, own] = /ssl\.http\.pemcert_filepath:\s*"?([^"\s]+)/.exec(textAt(node, indexer.config) ?? '') ?? [];
  if (authority === undefined || own === undefined) return true;
  const read = (at: HostState, path: string) => readCertificates(textAt(at, path) ?? '').map((c) => c.der);
  const chain = read(node, posix.resolve(posix.dirname(indexer.config), own));
  return chain.length === 0 || isSignedBy(chain, read(host, authority));
}

/** A user and password that come from its keystore are right. */
function signsIn(state: PlatformState, host: HostState, config: string): boolean {
  const text = textAt(host, config) ?? '';
  const [user = '', password = ''] = ['username', 'password'].map(
    (key) => new RegExp(`^  ${key}: (.*)$`, 'm').exec(text)?.[1],
  );
  const { cluster } = state;
  const fits = (written: string, wanted: string | null): boolean =>
    written === '' || written.startsWith('${') || wanted === null || written === wanted;
  return fits(user, cluster.user) && fits(password, cluster.password);
}

/** Its output is Logstash, which lies outside of the model. */
const sendsElsewhere = (host: HostState, config: string): boolean =>
  /^output\.logstash:/m.test(textAt(host, config) ?? '');

/** A node of the configuration that answers. */
const reachable = (state: PlatformState, host: HostState, config: string): HostState | undefined =>
  addresses(host, config)
    .map((address) => servingAt(state, address))
    .find((node) => node !== undefined);

function servingAt(state: PlatformState, address: string): HostState | undefined {
  const [at] = address.split(':');
  const node = Object.values(state.hosts).find((h) => h.address === at || h.name === at);
  return node !== undefined && serves(state, node) ? node : undefined;
}

const addresses = (host: HostState, config: string): string[] =>
  [...(textAt(host, config) ?? '').matchAll(/^ {2}- "?([^"\s]+)"?$/gm)]
    .map((m) => m[1] ?? '')
    .filter((a) => a.includes(':'));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
