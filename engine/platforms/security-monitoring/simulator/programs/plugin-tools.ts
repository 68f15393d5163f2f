import { zipTexts } from '../../../../lib/zip.js';
import { below, bytesOf, entryAt, putFile, textAt } from '../../../../simulator/files.js';
import { DESCRIPTORS } from '../../modules/plugins/descriptor.js';
import { engineOf } from '../packages/release.js';
import type { HostState, PlatformState } from '../state.js';
import type { Call, Ended } from './call.js';

type Of = 'indexer' | 'dashboard';

/** A directory of plug-ins has: its name, and the descriptor in it. */
export interface InstalledPlugin {
  readonly name: string;
  readonly descriptor: string | undefined;
  readonly built: string | undefined;
}

export function installedPlugins(of: Of, { names }: PlatformState, host: HostState): readonly InstalledPlugin[] {
  const { plugin_dir: dir } = names[of];
  const { file, engineIn } = DESCRIPTORS[of];
  return [...new Set(below(host, dir).map((path) => path.slice(dir.length + 1).split('/')[0] ?? ''))].map((name) => {
    const descriptor = textAt(host, `${dir}/${name}/${file}`);
    return { name, descriptor, built: descriptor === undefined ? undefined : engineIn(descriptor) };
  });
}

/**
 * `install --batch file:///FILE`, in the words of the real tool of 2.19.4 (tried). An installed plug-in is not replaced,
 * and one that asks for permissions is not installed without `--batch` where no operator answers.
 */
export function indexerPlugin(call: Call): Ended {
  const { state, host, args } = call;
  const { plugin_dir: dir, package: name } = state.names.indexer;
  const url = args.at(-1) ?? '';
  const head = `-> Installing ${url}\n-> Downloading ${url}\n`;
  const fails = (text: string): Ended => ({
    exit: 1,
    stdout: `${head}-> Failed installing ${url}\n-> Rolling back ${url}\n-> Rolled back ${url}\n`,
    stderr: text,
    tookMs: 4_000,
  });
  const thrown = (what: string): Ended =>
    fails(
      `Exception in thread "main" java.lang.${what}\n\tat org.opensearch.plugins.PluginCli.main(PluginCli.java:60)\n`,
    );
  const plugin = pluginIn(call, 'indexer', url);
  if (typeof plugin === 'string') return thrown(`RuntimeException: ${plugin}`);
  const engine = engineOf(host.packages[name]?.version ?? '');
  if (plugin.built !== engine)
    return thrown(
      `IllegalArgumentException: Plugin [${plugin.name}] was built for OpenSearch version ${plugin.built ?? ''} but version ${engine} is running`,
    );
  const half = installedPlugins('indexer', state, host).find(({ descriptor }) => descriptor === undefined);
  if (half !== undefined)
    return thrown(`IllegalStateException: Could not load plugin descriptor for plugin directory [${half.name}]`);
  if (entryAt(host, `${dir}/${plugin.name}`) !== undefined)
    return fails(
      `ERROR: plugin directory [${dir}/${plugin.name}] already exists; if you need to update the plugin, uninstall it first using command 'remove ${plugin.name}'\n`,
    );
  if (plugin.asks && !args.includes('--batch'))
    return thrown(
      'IllegalStateException: unable to read from standard input; is standard input open and a tty attached?',
    );
  install(call, 'indexer', plugin);
  return {
    exit: 0,
    stdout: `${head}-> Installed ${plugin.name} with folder name ${plugin.name}\n`,
    stderr: '',
    tookMs: 4_000,
  };
}

/** As its source has it: another engine is refused, and a plug-in that is there, too. It may not be run by root. */
export function dashboardPlugin(call: Call): Ended {
  const { state, host, args, user } = call;
  const { plugin_dir: dir, package: name } = state.names.dashboard;
  if (user === 'root')
    return {
      exit: 1,
      stdout: '',
      stderr: 'OpenSearch Dashboards should not be run as root.  Use --allow-root to continue.\n',
      tookMs: 500,
    };
  const fails = (stderr: string): Ended => ({ exit: 70, stdout: '', stderr, tookMs: 8_000 });
  const plugin = pluginIn(call, 'dashboard', args.at(-1) ?? '');
  const unsuccessful = (why: string): Ended => fails(`Plugin installation was unsuccessful due to error "${why}"\n`);
  if (typeof plugin === 'string') return unsuccessful(plugin);
  if (entryAt(host, `${dir}/${plugin.name}`) !== undefined)
    return fails(`Plugin ${plugin.name} already exists, please remove before installing a new version\n`);
  const engine = engineOf(host.packages[name]?.version ?? '');
  if (plugin.built !== engine)
    return unsuccessful(
      `Plugin ${plugin.name} [${plugin.built ?? ''}] is incompatible with OpenSearch Dashboards [${engine}]`,
    );
  install(call, 'dashboard', plugin);
  return { exit: 0, stdout: 'Plugin installation complete\n', stderr: '', tookMs: 8_000 };
}

interface Plugin extends InstalledPlugin {
  readonly descriptor: string;
  /** It brings a policy: permissions that it asks for. */
  readonly asks: boolean;
}

/** The plug-in in an archive on the host, or what is wrong with that. */
function pluginIn({ host }: Call, of: Of, url: string): Plugin | string {
  const path = url.replace(/^file:\/\//, '');
  const entry = entryAt(host, path);
  if (entry === undefined) return `${path} (No such file or directory)`;
  const bytes = bytesOf(entry);
  const { file, inArchive, nameIn, engineIn } = DESCRIPTORS[of];
  const texts = zipTexts((from, length) => bytes.subarray(from, from + length), bytes.length, [file, POLICY]);
  if (texts === undefined) return 'Archive is not a ZIP archive';
  const descriptor = Object.entries(texts).find(([at]) => inArchive.test(at))?.[1];
  if (descriptor === undefined) return `no ${file}`;
  return { name: nameIn(descriptor) ?? '', descriptor, built: engineIn(descriptor), asks: texts[POLICY] !== undefined };
}

const POLICY = 'plugin-security.policy';

function install({ state, host, user }: Call, of: Of, { name, descriptor }: Plugin): void {
  const { plugin_dir: dir } = state.names[of];
  const own = { owner: user, group: user };
  putFile(host, `${dir}/${name}`, { ...own, type: 'directory' }, state.nowMs);
  putFile(host, `${dir}/${name}/${DESCRIPTORS[of].file}`, { ...own, text: descriptor }, state.nowMs);
}
