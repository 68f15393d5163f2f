import type { Json } from '../../terms/json.js';
import type { LoadedInventory } from '../inventory/loaded.js';
import { type Layered, pathIn, spotIn } from '../inventory/layers.js';
import { displayName, type LoadContext } from '../load-context.js';
import type { Mistakes } from '../mistakes.js';
import { objectOf, textOf } from '../values.js';
import type { Path } from '../yaml/node.js';

/** How a file that the inventory names is used. */
interface Use {
  readonly what: string;
  /** Only its owner may have access to it. */
  readonly secret?: true;
  readonly missing?: string;
}

const SSH: Readonly<Record<string, Use>> = {
  key: { what: 'private key', secret: true },
  known_hosts: {
    what: 'file of known hosts',
    missing:
      "no host is known without it: ssh-keyscan HOST, its key compared with the host's own (ssh-keygen -lf), and put there",
  },
  config: { what: 'ssh configuration' },
};
const SECRET: Use = { what: 'secret file', secret: true };

interface Named {
  readonly part: Layered;
  readonly at: Path;
  readonly use: Use;
}

/**
 * Warns about keys, secrets, known hosts and ssh configurations that are missing, cannot be read or are open to other users, where files are
 * read from the disk. These are warnings, not mistakes: a run that does not use the host or the secret is not affected, and one that does reports the
 * problem itself. The content of a file is not checked.
 */
export async function checkNamedFiles(
  context: LoadContext,
  loaded: LoadedInventory,
  warnings: Mistakes,
): Promise<void> {
  if (!context.files.live) return;
  for (const { part, at, use } of namedIn(loaded)) {
    const written = textOf(at.reduce<Json | undefined>((json, key) => objectOf(json)[key], part.json));
    if (written === undefined) continue;
    const wrong = await wrongWith(context, pathIn(part, at, written, context.env), use);
    if (wrong !== undefined) warnings.at(spotIn(part, at), wrong.message, { hint: wrong.hint });
  }
}

function* namedIn({ parts, hosts }: LoadedInventory): Generator<Named> {
  for (const part of parts.secrets.values()) yield { part, at: ['file'], use: SECRET };
  const ssh: readonly (readonly [Layered, Path])[] = [
    ...(parts.ssh === undefined ? [] : [[parts.ssh, []] as const]),
    ...[...parts.groups.values(), ...hosts.map(({ part }) => part)].map((part) => [part, ['ssh']] as const),
  ];
  for (const [part, at] of ssh) for (const [key, use] of Object.entries(SSH)) yield { part, at: [...at, key], use };
}

async function wrongWith(
  { files, cwd }: LoadContext,
  file: string,
  { what, secret, missing }: Use,
): Promise<{ readonly message: string; readonly hint: string } | undefined> {
  const shown = displayName(cwd, file);
  const found = await files.look(file);
  if (found.is === 'missing')
    return { message: `there is no ${what} ${shown}`, hint: missing ?? 'a path is seen from this file' };
  if (found.is === 'refused')
    return { message: `the ${what} ${shown} ${found.reason}`, hint: 'a file that you can read belongs there' };
  if (secret !== true || (found.mode & 0o077) === 0) return undefined;
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  return {
    message: `the ${what} ${shown} can be used by others than its owner (mode ${mode})`,
    hint: `chmod 600 ${shown}`,
  };
}
