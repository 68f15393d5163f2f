import path from 'node:path';
import type { JsonObject } from '../../terms/json.js';
import { findFile, playbookDirectories } from '../find.js';
import { displayName, type LoadContext } from '../load-context.js';
import { objectOf, textOf, textsOf } from '../values.js';
import type { WrittenRequirement } from './written.js';
import { limits } from '../yaml/limits.js';
import type { Path } from '../yaml/node.js';
import type { Source } from '../yaml/source.js';

/** A playbook file as one import sees it. */
export interface PlaybookFile {
  readonly source: Source;
  /** `upgrade/database`: the start of its plays' paths. */
  readonly base: string;
  /** Names of the imported playbooks around its plays, from the outside in. */
  readonly within: readonly string[];
  /** Files from the root to this one, absolute: an import of one of them is a circle. */
  readonly chain: readonly string[];
  readonly tags: readonly string[];
  /** What it requires itself, and what the playbooks around it do. */
  readonly requires: readonly WrittenRequirement[];
  /** Of the playbooks around it. */
  readonly vars: JsonObject;
  /** What its import sets: it overrides the file's own. */
  readonly given: JsonObject;
  readonly spec?: string;
}

/** An import as it is written: `at` is its place in the outer file. */
export interface ImportEntry {
  readonly entry: JsonObject;
  readonly at: Path;
  readonly outer: PlaybookFile;
}

/** The playbook that an import names, with the variables that the import sets; undefined after telling why there is none. Looked for beside the file that names it first. */
export async function resolveImport(
  context: LoadContext,
  { entry, at, outer }: ImportEntry,
  imports: { count: number },
): Promise<PlaybookFile | undefined> {
  const written = textOf(entry['import']);
  if (written === undefined) return undefined;
  const here = { source: outer.source, path: [...at, 'import'] };
  const found = await findFile(context, written, [
    path.dirname(outer.source.absolute),
    ...playbookDirectories(context),
  ]);
  if (found.is === 'wrong') return undefined;
  if (found.is === 'missing') {
    const hint =
      found.near === undefined
        ? 'looked for beside this file, in the working directory, in ./playbooks and among the shipped ones'
        : `did you mean "${found.near}"?`;
    context.mistakes.at(here, `there is no playbook "${written}"`, { hint });
    return undefined;
  }
  const { source } = found;
  if (outer.chain.includes(source.absolute)) {
    const circle = [...outer.chain.slice(outer.chain.indexOf(source.absolute)), source.absolute].map((file) =>
      displayName(context.cwd, file),
    );
    context.mistakes.at(here, `playbooks import one another in a circle: ${circle.join(' → ')}`);
    return undefined;
  }
  if (++imports.count > limits.imports) {
    context.mistakes.at(here, `more than ${limits.imports} imports`);
    return undefined;
  }
  return fileOf({ entry, at, outer }, source);
}

function fileOf({ entry, outer }: ImportEntry, source: Source): PlaybookFile {
  const root = objectOf(source.json);
  const base = path.basename(source.absolute).replace(/\.ya?ml$/, '');
  return {
    source,
    base: `${outer.base}/${base}`,
    within: [...outer.within, textOf(root['playbook']) ?? base],
    chain: [...outer.chain, source.absolute],
    tags: [...outer.tags, ...textsOf(entry['tags'])],
    requires: outer.requires,
    vars: outer.vars,
    given: objectOf(entry['vars']),
    ...(outer.spec === undefined ? {} : { spec: outer.spec }),
  };
}
