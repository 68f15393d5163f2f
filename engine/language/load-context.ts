import path from 'node:path';
import type { Diagnostic } from '../terms/diagnostic.js';
import type { PlatformOffers } from '../terms/platform-offers.js';
import type { Files } from './files.js';
import type { Mistakes } from './mistakes.js';
import { readAhead } from './yaml/ahead.js';
import { parseYaml, type Source } from './yaml/source.js';

/** What one load knows while it goes on. */
export interface LoadContext {
  readonly files: Files;
  readonly mistakes: Mistakes;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The playbooks that come with the program. */
  readonly shippedDir: string;
  /** Shipped files may be taken as the build has read them: they do not know the place of a mistake. */
  readonly ahead: boolean;
  /** What the code of the platform has; undefined: not checked. */
  readonly offers: PlatformOffers | undefined;
  /** What is still to be filled in is no mistake. */
  readonly draft: boolean;
  /** Whether a store is configured in which a team shares its runs; undefined: not checked. */
  readonly hasStore: boolean | undefined;
  /** The time, where it is wanted to warn of what is past. */
  readonly nowMs: number | undefined;
  /** Every file that was read, by its absolute path; `source` is undefined when it was no YAML. */
  readonly read: Map<string, ReadFile>;
}

export interface ReadFile {
  readonly text: string;
  readonly source: Source | undefined;
  /** What is wrong with it as a file and as YAML: its data is then not what was meant. */
  readonly mistakes: readonly Diagnostic[];
}

/** How people know a file: by its path from the working directory, when it is below that. */
export function displayName(cwd: string, file: string): string {
  const relative = path.relative(cwd, file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

/** Reads and parses a file once. `missing` when there is none; undefined when it was read and is wrong, which has then been told. */
export async function readSource(context: LoadContext, absolute: string): Promise<Source | 'missing' | undefined> {
  const known = context.read.get(absolute);
  if (known !== undefined) return known.source;
  const file = displayName(context.cwd, absolute);
  const found = await context.files.read(absolute);
  if (found.is === 'missing') return 'missing';
  if (found.is === 'refused') {
    const mistakes = [{ file, line: 1, column: 1, length: 1, message: `the file ${found.reason}` }];
    context.mistakes.add(mistakes);
    context.read.set(absolute, { text: '', source: undefined, mistakes });
    return undefined;
  }
  const ahead = context.ahead ? await readAhead({ file, absolute }, found.text) : undefined;
  const { source, diagnostics } =
    ahead === undefined ? await parseYaml({ file, absolute }, found.text) : { source: ahead, diagnostics: [] };
  context.mistakes.add(diagnostics);
  context.read.set(absolute, { text: found.text, source, mistakes: diagnostics });
  return source;
}
