import { serves } from '../cluster.js';
import { touchIndex } from '../documents.js';
import { putFile, textAt } from '../../../../simulator/files.js';
import { SECURITY_FILES } from '../packages/indexer.js';
import { done, type Call, type Ended } from './call.js';

/** Types that the tool prints, in its own spelling. */
const typeOf = (file: string): string => file.replaceAll('_', '');

/**
 * The security init tool: `--options "-backup DIR …"` writes the live configuration into a directory of this node, without options
 * this node's files go into the cluster. A cluster that cannot be reached ends it with 255; one without an elected node is asked for ever.
 */
export function securityInit(call: Call): Ended {
  const { state, host, args } = call;
  const n = state.names.indexer;
  const head = 'Security Admin v7\n';
  if (host.services[n.service]?.active !== 'active') {
    return {
      exit: 255,
      stdout: `${head}ERR: Seems there is no OpenSearch running on ${host.address}:${state.ports.indexer} - Will exit\n`,
      stderr: '',
      tookMs: 2_000,
    };
  }
  if (!serves(state, host))
    return {
      exit: 124,
      stdout: `${head}Cannot retrieve cluster state due to: null. This is not an error, will keep on trying ...\n`,
      stderr: '',
      tookMs: 3_600_000,
    };
  const options = args[args.indexOf('--options') + 1] ?? '';
  const backup = /-backup\s+(\S+)/.exec(args.includes('--options') ? options : '')?.[1];
  const connect = `${head}Will connect to ${host.address}:${state.ports.indexer} ... done\nConnected as "CN=admin"\n`;
  // Only a push ends with that line; a backup just stops after its last file, as the real tool does.
  return done(connect + (backup === undefined ? `${push(call)}Done with success\n` : save(call, backup)), 7_000);
}

function save({ state, host }: Call, dir: string): string {
  const user = state.names.indexer.user;
  return SECURITY_FILES.map((file) => {
    const path = `${dir}/${file}.yml`;
    putFile(
      host,
      path,
      { text: state.cluster.security[file] ?? '', owner: user, group: user, mode: '0660' },
      state.nowMs,
    );
    return `SUCC: Configuration for '${typeOf(file)}' stored in ${path}\n`;
  }).join('');
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
