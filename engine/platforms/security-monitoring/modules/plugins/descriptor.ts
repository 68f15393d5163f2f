import { jsonOrUndefined, pointer } from '../../../../lib/json.js';

/** What a plug-in says of itself, and for which engine it was built. */
export interface Descriptor {
  readonly file: string;
  /** Where the file is in the plug-in's archive. */
  readonly inArchive: RegExp;
  /** Each is undefined where the text names none. */
  readonly nameIn: (text: string) => string | undefined;
  readonly versionIn: (text: string) => string | undefined;
  readonly engineIn: (text: string) => string | undefined;
}

export const ANY = 'any engine';

export const DESCRIPTORS: Readonly<Record<'indexer' | 'dashboard', Descriptor>> = {
  indexer: {
    file: 'plugin-descriptor.properties',
    inArchive: /^plugin-descriptor\.properties$/,
    nameIn: (text) => property(text, 'name'),
    versionIn: (text) => property(text, 'version'),
    engineIn: (text) => property(text, 'opensearch.version'),
  },
  dashboard: {
    file: 'opensearch_dashboards.json',
    inArchive: /^opensearch-dashboards\/[^/]+\/opensearch_dashboards\.json$/,
    nameIn: (text) => textAt(text, '/id'),
    versionIn: (text) => textAt(text, '/version'),
    engineIn: (text) => {
      // Where only its own version is there, the dashboard takes that for the engine's.
      const named = textAt(text, '/opensearchDashboardsVersion') ?? textAt(text, '/version');
      return named === 'opensearchDashboards' ? ANY : (/^\d+\.\d+\.\d+/.exec(named ?? '')?.[0] ?? named);
    },
  },
};

const property = (text: string, key: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${key}=`))
    ?.slice(key.length + 1)
    .trim();

function textAt(text: string, path: string): string | undefined {
  const value = pointer(jsonOrUndefined(text) ?? null, path);
  return typeof value === 'string' ? value : undefined;
}
