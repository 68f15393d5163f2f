import { definitionOf, type WholeProject } from './definitions.js';
import type { Spot } from './mistakes.js';

/** Where the value of a name is written: the layer that set it, and its file. */
export interface DefinitionPlace {
  readonly layer: string;
  readonly file?: string;
  readonly line?: number;
}

/** The layer that gives `vars.X`, `platform.X` or a name of the platform its value on a host; undefined for what is not defined in a file. */
export function definitionPlace(project: WholeProject, name: string, host?: string): DefinitionPlace | undefined {
  const at = project.loaded?.hosts.find((one) => one.host.name === host);
  const written = name.replace(/^host\.(?=vars\.)/, '');
  const definition = definitionOf(project, at === undefined ? {} : { host: at }, written);
  if (definition === undefined) return undefined;
  const { spot } = definition;
  if (spot === undefined) return { layer: '-e' };
  const { line } = spot.source.place(spot.path, 'key');
  const isPlatform = spot.source === project.platformSource;
  return {
    layer: isPlatform ? 'platform default' : layerOf(spot, host),
    file: spot.source.file,
    // A shipped file that the build has read does not know its lines.
    ...(isPlatform && line === 1 ? {} : { line }),
  };
}

function layerOf({ path: [part, name] }: Spot, host: string | undefined): string {
  if (part === 'hosts') return `host ${host ?? String(name)}`;
  return part === 'groups' ? `group ${String(name)}` : 'inventory';
}
