import { entryAt } from '../../../../simulator/files.js';
import { engineOf } from '../packages/release.js';
import { newerThan } from '../../../../simulator/versions.js';
import { done, fails, type Call, type Ended } from './call.js';

/**
 * The engine's own `override-version`, which lets an older version start on what a newer one wrote. It asks on standard input; it needs
 * the node stopped, for it takes the lock of its data; run by another user than the service's it leaves files that are not the service's.
 */
export function nodeTool({ state, host, args, stdin, user }: Call): Ended {
  const n = state.names.indexer;
  if (args[0] !== 'override-version') return fails(1, `ERROR: Unknown command [${args[0] ?? ''}]\n`, START_MS);
  if (args.includes('--help')) return done("Overwrite the version stored in this node's data path\n", START_MS);
  const active = host.services[n.service]?.active;
  if (active === 'active' || active === 'activating')
    return fails(1, `failed to lock node's directory [${n.data_dir}], is OpenSearch still running?\n`, START_MS);
  const node = state.cluster.nodes[host.name];
  if (node?.dataVersion == null)
    return fails(1, 'no node metadata found, so there is no version to override\n', START_MS);
  const engine = engineOf(host.packages[n.package]?.version ?? '');
  const data = entryAt(host, n.data_dir);
  if (user !== n.user && data !== undefined) data.owner = user;
  if (!newerThan(node.dataVersion, engine))
    return fails(
      1,
      `found [NodeMetadata{nodeVersion=${node.dataVersion}}] which is compatible with current version [${engine}], so there is no need to override the version checks\n`,
      START_MS,
    );
  const asked = `This data path was last written by OpenSearch version [${node.dataVersion}] and may no\nlonger be compatible with OpenSearch version [${engine}].\nDo you want to proceed?\nConfirm [y/N] `;
  if (!/^y$/im.test(stdin))
    return { exit: 1, stdout: asked, stderr: 'OpenSearchException: aborted by user\n', tookMs: START_MS };
  node.dataVersion = engine;
  return done(
    `${asked}Successfully overwrote this node's metadata to bypass its version compatibility checks.\n`,
    START_MS,
  );
}

/** A Java machine starts for each question. */
const START_MS = 2_000;
