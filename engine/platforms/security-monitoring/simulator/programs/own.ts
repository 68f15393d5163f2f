import type * as general from '../../../../simulator/rules.js';
import type { HostState, PlatformState } from '../state.js';
import { agentFiles } from './agent-files.js';
import { javaTries, securityInit } from './indexer-tools.js';
import { installerPrograms, MACOS_AGENT, macosControl } from './installers.js';
import { agentUpgrade, analysisd, control, keystore, logSince } from './manager-tools.js';
import { nodeTool } from './node-tool.js';
import { dashboardPlugin, indexerPlugin } from './plugin-tools.js';
import { shipper, shipperAnyHost } from './shipper-tools.js';
import { stagedFile } from '../../../../simulator/programs/staged.js';
import { engineOf } from '../packages/release.js';
import { done, fails, type Call, type Ended, type Program } from './call.js';

/** A program of the platform's, which is there while its file is; those of Windows and macOS are by their names. */
export function ownProgram({ names }: PlatformState, host: HostState, name: string): general.Program | undefined {
  const own: Readonly<Record<string, Program>> = {
    [names.indexer.security_init]: securityInit,
    [names.indexer.node_tool]: nodeTool,
    [names.indexer.plugin_tool]: indexerPlugin,
    [names.dashboard.plugin_tool]: dashboardPlugin,
    [names.manager.control]: control,
    [names.agent.control]: control,
    [names.manager.keystore]: keystore,
    [names.manager.agent_upgrade]: agentUpgrade,
    [names.manager.analysisd]: analysisd,
    [names.shipper.binary]: shipper,
    [`${MACOS_AGENT}/bin/platform-control`]: macosControl,
  };
  const path = Object.keys(own).find((p) => p === name || p === `/usr/bin/${name}`);
  if (path !== undefined) return host.files[path] === undefined ? absent : (own[path] as general.Program);
  return (name === 'sh' ? shell : installerPrograms[name]) as general.Program | undefined;
}

/** The scripts of platform.yaml, by what they alone have. */
const shell: Program = (call) => {
  const script = call.args[1] ?? '';
  if (script.includes('test output')) return shipperAnyHost(call);
  if (script.includes('[ -r ')) return agentFiles(call);
  return script.includes('-XX') ? javaTries(call) : script.includes('md5sums') ? stagedEngine(call) : logSince(call);
};

/** The name of the engine's library in the package of a version that is in the cache. */
function stagedEngine({ host, args }: Call): Ended {
  const [name = '', version = ''] = args.slice(-2);
  return done(stagedFile(host, { name, version }) === null ? '' : `opensearch-${engineOf(version)}.jar\n`);
}

const absent: general.Program = () => fails(127, `command not found\n`);
