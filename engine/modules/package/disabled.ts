import { content, type FileContent } from '../../facts/file.js';
import { packageOffers } from '../../facts/package-offers.js';
import type { PackageVersions } from '../../facts/package-versions.js';
import { need, type Need } from '../../terms/fact.js';
import type { At, More } from '../../terms/module.js';
import { entriesOf, readerOf } from '../package-repository/text.js';
import type { PackageArgs } from './schema.js';

/** A repository's index may be some megabytes. */
const TIMEOUT_MS = 60_000;

export type Texts = Readonly<Record<`repository:${string}`, FileContent>>;

export const repositoryNeeds = ({ repository }: PackageArgs, { task }: At): Readonly<Record<string, Need>> =>
  Object.fromEntries((repository?.paths ?? []).map((path) => [`repository:${path}`, need(task.on, content, path)]));

interface Disabled {
  readonly path: string;
  /** The file with the entries of this repository enabled, and those only. */
  readonly text: string;
}

/** The repository, where an entry of it is disabled. */
export function disabledIn({ repository }: PackageArgs, texts: Texts): Disabled | undefined {
  for (const path of repository?.paths ?? []) {
    const lines = texts[`repository:${path}`]?.text.split('\n') ?? [];
    const entries = readerOf(path)(lines);
    const wanted = entriesOf(entries, repository?.url ?? '');
    if (!wanted.some(({ isEnabled }) => isEnabled === false)) continue;
    // From the end, so that an entry that gets a line moves none that is still to be set.
    const text = entries.reduceRight(
      (now, entry) => entry.set(now, wanted.includes(entry)),
      lines as readonly string[],
    );
    return { path, text: text.join('\n') };
  }
  return undefined;
}

export const offersNeed = ({ name }: PackageArgs, { path, text }: Disabled, { task }: At): Need<PackageVersions> =>
  need(task.on, packageOffers, { name, file: path, text, timeoutMs: TIMEOUT_MS });

export const offersIn = (more: More | undefined): PackageVersions | undefined =>
  more?.['disabled'] as PackageVersions | undefined;
