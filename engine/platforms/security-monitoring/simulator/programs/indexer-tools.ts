import { posix } from 'node:path';
import { joinedHosts, serves } from '../cluster.js';
import { touchIndex } from '../documents.js';
import { healthOf } from '../health.js';
import { below, entryAt, putFile, textAt } from '../../../../simulator/files.js';
import { SECURITY_FILES } from '../packages/indexer.js';
import { done, type Call, type Ended } from './call.js';

/** Types that the tool prints, in its own spelling. */
const typeOf = (file: string): string => file.replaceAll('_', '');

const HEAD = 'Security Admin v7\n';

/**
 * The security init tool: `--options "-backup DIR …"` writes the live configuration into a directory of this node, without options
 * this node's files go into the cluster. It works as the indexer's user, and fails where that user can neither write DIR nor read the admin
 * key. A cluster that cannot be reached ends it with 255, one whose nodes have several engines too; one without an elected node is asked for ever.
 */
export function securityInit(call: Call): Ended {
  const { state, host, args, env } = call;
  const n = state.names.indexer;
  const missing = ADMIN_FILES.filter((file) => textAt(host, `${certificatesOf(call)}/${file}`) === undefined);
  if (missing.length > 0)
    return failed(1, 100, `ERROR: this tool needs admin.pem and admin-key.pem in ${certificatesOf(call)}\n`);
  const unreadable = ADMIN_FILES.find((file) => !may(call, `${certificatesOf(call)}/${file}`, READ));
  if (unreadable !== undefined)
    return failed(255, 1_000, `${HEAD}ERR: Unable to read the file ${certificatesOf(call)}/${unreadable}\n`);
  if (host.services[n.service]?.active !== 'active')
    return failed(
      255,
      2_000,
      `${HEAD}ERR: Seems there is no OpenSearch running on ${host.address}:${state.ports.indexer} - Will exit\n`,
    );
  if (!serves(state, host))
    return failed(
      124,
      3_600_000,
      `${HEAD}Cannot retrieve cluster state due to: null. This is not an error, will keep on trying ...\n`,
    );
  const connect = `${HEAD}Will connect to ${host.address}:${state.ports.indexer} ... done\nConnected as "CN=admin"\n`;
  const engines = new Set(joinedHosts(state).map((name) => state.cluster.nodes[name]?.version));
  const mixed = engines.size > 1 ? 'ERR: Mixed cluster: nodes have different versions\n' : '';
  if (mixed !== '' && env['OPENDISTRO_SECURITY_ADMIN_ALLOW_MIXED_CLUSTER'] !== 'true')
    return failed(255, 5_000, connect + mixed);
  if (healthOf(state).status === 'red')
    return failed(255, 300_000, `${connect}${mixed}ERR: Timed out while waiting for a yellow cluster state\n`);
  const options = args[args.indexOf('--options') + 1] ?? '';
  const backup = /-backup\s+(\S+)/.exec(args.includes('--options') ? options : '')?.[1];
  // Only a push ends with that line; a backup just stops after its last file, as the real tool does.
  if (backup === undefined) return done(`${connect}${mixed}${push(call)}Done with success\n`, 7_000);
  const saved = save(call, backup);
  return saved.isWhole ? done(connect + mixed + saved.text, 7_000) : failed(255, 7_000, connect + mixed + saved.text);
}

/** The tool's errors are on its standard output. */
const failed = (exit: number, tookMs: number, stdout: string): Ended => ({ exit, stdout, stderr: '', tookMs });

const ADMIN_FILES = ['admin.pem', 'admin-key.pem'];

/** Where the CA is, by the configuration; the admin's certificate must be beside it. */
function certificatesOf({ state, host }: Call): string {
  const { config, config_dir: dir } = state.names.indexer;
  const ca = /^plugins\.security\.ssl\.http\.pemtrustedcas_filepath:\s*"?([^"\s]+)/m.exec(textAt(host, config) ?? '');
  return posix.dirname(posix.resolve(dir, ca?.[1] ?? 'certs/root-ca.pem'));
}

const READ = 4;
const WRITE = 2;

/** May the indexer's user do this with a path? Of one that is not there its directory decides; each directory above must let it through. */
function may({ state, host }: Call, path: string, what: number): boolean {
  const { user } = state.names.indexer;
  const bits = (at: string): number => {
    const entry = entryAt(host, at);
    if (entry === undefined) return 0;
    const [, owner = '0', group = '0', other = '0'] = entry.mode;
    return Number(entry.owner === user ? owner : entry.group === user ? group : other);
  };
  for (let dir = posix.dirname(path); dir !== '/'; dir = posix.dirname(dir))
    if (entryAt(host, dir) !== undefined && (bits(dir) & 1) === 0) return false;
  const at = entryAt(host, path) === undefined ? nearest(host, path) : path;
  return (bits(at) & what) === what;
}

function nearest(host: Call['host'], path: string): string {
  let at = posix.dirname(path);
  while (at !== '/' && entryAt(host, at) === undefined) at = posix.dirname(at);
  return at;
}

function save(call: Call, dir: string): { readonly isWhole: boolean; readonly text: string } {
  const { state, host } = call;
  const { user } = state.names.indexer;
  const own = { owner: user, group: user };
  const lines = SECURITY_FILES.map((file) => {
    const path = `${dir}/${file}.yml`;
    if (!may(call, path, WRITE))
      return `FAIL: Get configuration for '${typeOf(file)}' because of java.io.FileNotFoundException: ${path} (Permission denied)\n`;
    if (entryAt(host, dir) === undefined) putFile(host, dir, { type: 'directory', ...own }, state.nowMs);
    putFile(host, path, { text: state.cluster.security[file] ?? '', ...own, mode: '0660' }, state.nowMs);
    return `SUCC: Configuration for '${typeOf(file)}' stored in ${path}\n`;
  });
  return { isWhole: !lines.some((line) => line.startsWith('FAIL')), text: lines.join('') };
}

function push({ state, host }: Call): string {
  const dir = state.names.indexer.security_dir;
  const lines = SECURITY_FILES.map((file) => {
    state.cluster.security[file] = textAt(host, `${dir}/${file}.yml`) ?? '';
    return `SUCC: Configuration for '${typeOf(file)}' created or updated\n`;
  });
  touchIndex(state, '.opendistro_security');
  return lines.join('');
}

/** `sh -c SCRIPT sh JAVA NODES MEMORY FILE…`: the virtual machine, tried with the -XX options of these files that are for Java 21. */
export function javaTries({ host, args: [, , , , nodes, memory = '', ...paths] }: Call): Ended {
  const options = paths
    .flatMap((path) => [path, ...below(host, path)])
    .flatMap((path) => (textAt(host, path) ?? '').split('\n'))
    .map((line) => line.replace(/^(?:21|\d-|1\d-|8-21):/, ''));
  const [least, most] = ['-Xms', '-Xmx'].map((size) => options.findLast((option) => option.startsWith(size)));
  const kilobytes = Number(/^MemTotal: *(\d+) kB$/m.exec(textAt(host, memory) ?? '')?.[1] ?? Infinity);
  if (Number(/^-Xms(\d+)g$/.exec(least ?? '')?.[1] ?? 0) * 1024 ** 2 > kilobytes)
    return done(`initial heap ${least ?? ''} is more than the memory of the host\n`, 200);
  if (nodes !== '1' && least?.slice(4) !== most?.slice(4))
    return done(`heap sizes ${least ?? ''} and ${most ?? ''} differ\n`, 200);
  return options.includes('-XX:+UseConcMarkSweepGC')
    ? { exit: 1, stdout: "Unrecognized VM option 'UseConcMarkSweepGC'\n", stderr: '', tookMs: 200 }
    : done('', 200);
}
