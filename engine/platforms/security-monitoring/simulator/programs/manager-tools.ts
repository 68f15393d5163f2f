import { gunzipSync } from 'node:zlib';
import { keystorePath } from '../connector.js';
import { checkManagerConfig } from '../manager-check.js';
import { handleManagementUpgrade, readToolArgs, TOOL_USAGE } from '../management-tool.js';
import { managementOn } from '../servers.js';
import { bytesOf, inodeOf, putFile, textAt } from '../../../../simulator/files.js';
import { DAEMONS, OPTIONAL_DAEMONS } from '../packages/manager.js';
import { releaseOf } from '../packages/release.js';
import { startService, stopService } from '../../../../simulator/services.js';
import { isUp } from '../../../../simulator/units.js';
import { done, fails, type Call, type Ended } from './call.js';

/** The control tool of a manager or an agent: `status` ends with 1 on a healthy manager, because it counts optional daemons. */
export function control(call: Call): Ended {
  const { state, host, args } = call;
  const isManager = host.packages[state.names.manager.package] !== undefined;
  const unit = isManager ? state.names.manager.service : state.names.agent.service;
  const verb = args[0] ?? '';
  if (verb === 'status') return status(isUp(host, unit), prefixOf(call), isManager);
  if (verb === 'info') {
    const version = releaseOf(
      host.packages[isManager ? state.names.manager.package : state.names.agent.package]?.version ?? '',
    );
    return done(
      args[1] === '-v'
        ? `v${version}\n`
        : `PLATFORM_VERSION="v${version}"\nPLATFORM_TYPE="${isManager ? 'server' : 'agent'}"\n`,
    );
  }
  if (verb !== 'restart' && verb !== 'start' && verb !== 'stop')
    return fails(1, `Usage: ${prefixOf(call)}-control {start|stop|restart|status|info [-v -r -t]}\n`);
  const stoppedMs = verb === 'start' ? 0 : stopService(call, host, unit);
  if (verb === 'stop') return done('Stopped\n', stoppedMs);
  const result = startService(call, host, unit);
  return result.ok
    ? done('Completed.\n', stoppedMs + result.tookMs)
    : fails(1, `${prefixOf(call)}-analysisd: Configuration error. Exiting\n`, stoppedMs + result.tookMs);
}

const prefixOf = ({ state }: Call): string => /([\w-]+?)-control$/.exec(state.names.manager.control)?.[1] ?? 'platform';

function status(up: boolean, prefix: string, isManager: boolean): Ended {
  const daemons = isManager ? DAEMONS : ['modulesd', 'logcollector', 'syscheckd', 'agentd', 'execd'];
  const optional = isManager ? OPTIONAL_DAEMONS : [];
  const lines = [
    ...daemons.map((d) => `${prefix}-${d} ${up ? 'is running...' : 'not running...'}\n`),
    ...optional.map((d) => `${prefix}-${d} not running...\n`),
  ];
  return { exit: up && optional.length === 0 ? 0 : 1, stdout: lines.join(''), stderr: '', tookMs: 300 };
}

/** `analysisd -t`: the manager's own check of its configuration, errors on standard error, status 1. */
export function analysisd({ state, host, args }: Call): Ended {
  if (!args.includes('-t')) return done();
  const errors = checkManagerConfig(host, state.names);
  if (errors.length === 0) return done('', 1_000);
  const stamp = new Date(state.nowMs).toISOString().slice(0, 19).replace('T', ' ').replaceAll('-', '/');
  return fails(
    1,
    [...errors, "(1202): Configuration error at 'etc/platform.conf'."]
      .map((e) => `${stamp} platform-analysisd: ERROR: ${e}\n`)
      .join(''),
    1_000,
  );
}

/** The keystore: `-f indexer -k username|password`, the value on standard input, kept exactly as it came. */
export function keystore({ state, host, args, stdin }: Call): Ended {
  const option = (name: string): string => (args.includes(name) ? (args[args.indexOf(name) + 1] ?? '') : '');
  const [family, key] = [option('-f'), option('-k')];
  if (family !== 'indexer' || (key !== 'username' && key !== 'password'))
    return fails(1, `platform-keystore: (1235): Invalid column family or key '${family}/${key}'.\n`);
  if (stdin === '') return fails(1, 'platform-keystore: No value on standard input.\n');
  putFile(host, keystorePath(state.names, key), { text: stdin, mode: '0600' }, state.nowMs);
  return done('', 100);
}

/** The remote upgrade tool: ends with 0 whatever came of it; what it prints decides (§4.3). */
export function agentUpgrade({ state, host, args }: Call): Ended {
  const order = readToolArgs(args);
  if (order.ids.length === 0) return done(TOOL_USAGE);
  const handled = handleManagementUpgrade(managementOn(state, host), order, state.nowMs);
  state.management = handled.state;
  return done(handled.printed, handled.tookMs);
}

/** `sh -c SCRIPT sh LOG ROTATED 'INODE SIZE'`: the one script of platform.yaml, which reads the manager's log from there on, also once it was rotated. */
export function logSince({ host, args: [flag, script = '', , log = '', rotated = '', position = ''] }: Call): Ended {
  if (flag !== '-c' || !script.includes('runbook: no $2')) return fails(127, 'sh: this model knows one script\n');
  const [inode, size = 0] = position.split(' ').map(Number);
  const [now, plain, packed] = [log, rotated, `${rotated}.gz`].map((path) => host.files[path]);
  if (now === undefined) return fails(1, `cat: ${log}: No such file or directory\n`);
  const from = (bytes: Buffer): string => bytes.subarray(Math.max(size - 1, 0)).toString();
  if (inodeOf(now) === inode && size <= bytesOf(now).length) return done(from(bytesOf(now)));
  const before =
    plain !== undefined
      ? from(bytesOf(plain))
      : packed !== undefined
        ? from(gunzipSync(bytesOf(packed)))
        : `runbook: no ${rotated}\n`;
  return done(before + (textAt(host, log) ?? ''));
}
