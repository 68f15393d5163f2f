import path from 'node:path';
import type { Diagnostic, Loaded } from '../terms/diagnostic.js';
import type { JsonObject } from '../terms/json.js';
import type { PlatformOffers } from '../terms/platform-offers.js';
import { checkProject, type ReadProject, wholeOf } from './validate/project.js';
import { definitionPlace, type DefinitionPlace } from './definition-place.js';
import { diskFilesWith, type Files, keptFiles } from './files.js';
import { findFile, playbookDirectories } from './find.js';
import { emptyInventory, loadInventory } from './inventory/load.js';
import { displayName, type LoadContext } from './load-context.js';
import { collectMistakes } from './mistakes.js';
import { withNamedChecks } from './playbook/named-checks.js';
import { withRequirements } from './playbook/requirements.js';
import { loadPlatform } from './playbook/platform-load.js';
import { loadPlaybook, type LoadedPlaybook } from './playbook/load.js';
import type { Project } from './project.js';
import { namesInExpression } from './templates/reads.js';
import { unrelatedTo } from './validate/unrelated.js';
import { typedVars } from './types/variable-types.js';
import type { Source } from './yaml/source.js';

export interface LoadRequest {
  /** As an operator wrote it: a path, or a name that is looked for. Absent: the platform and the inventory alone. */
  readonly playbook?: string;
  readonly inventory?: readonly string[];
  readonly extraVars?: JsonObject;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The playbooks that come with the program, absolute. */
  readonly shippedDir: string;
  /** When no inventory is named and there is no ./inventory.yaml: check the playbook alone, with an empty one. */
  readonly inventoryOptional?: boolean;
  /** An expression of the command line, which reads names besides those of the files. Mistakes that do not concern it refuse nothing. */
  readonly expression?: string;
  /** What the code of the platform has. Absent: what the files name of it is not checked. */
  readonly offers?: PlatformOffers;
  /** The time, where a warning of what is past is wanted. */
  readonly nowMs?: number;
  /** Whether a store is configured in which a team shares its runs. Absent: what needs one is not checked. */
  readonly hasStore?: boolean;
  /** Values that are still to be filled in, and certificates that are not there yet, are no mistakes. */
  readonly draft?: boolean;
  /** What a run kept of files, in place of what is on the disk now. */
  readonly kept?: readonly KeptText[];
}

/** A text by the absolute path that it was read from. */
export interface KeptText {
  readonly file: string;
  readonly text: string;
}

/** What loading gives, with the texts of the files, so that mistakes and warnings can be shown with their lines. */
export type LoadedProject =
  | (Extract<Loaded<Project>, { ok: true }> & {
      /** What may be meant as it is written, and may not. */
      readonly warnings: readonly Diagnostic[];
      /** Mistakes that do not concern the expression of the request. */
      readonly unrelated: readonly Diagnostic[];
      readonly sources: readonly KeptText[];
      /** Where the value that a dotted name has on a host is written; undefined for what is read or computed. */
      readonly placeOf: (name: string, host?: string) => DefinitionPlace | undefined;
    })
  | (Extract<Loaded<Project>, { ok: false }> & { readonly sources: readonly KeptText[] });

/** Reads playbook, platform and inventory from the disk. All mistakes of all files come at once, in the order of the files; while a file is no YAML, those of YAML alone. Contacts nothing. */
export const load = (request: LoadRequest): Promise<LoadedProject> =>
  loadFrom(diskFilesWith(request.kept ?? []), request);

export interface KeptRequest extends Omit<LoadRequest, 'playbook' | 'inventory' | 'inventoryOptional' | 'shippedDir'> {
  /** `Playbook.files`: the root playbook first, its platform last. */
  readonly playbook: readonly KeptText[];
  /** `Inventory.files`, in their order. */
  readonly inventory: readonly KeptText[];
}

/** The same from the texts that a run kept, so that a resume reads its own copies whatever became of the files. */
export function loadTexts({ playbook, inventory, ...rest }: KeptRequest): Promise<LoadedProject> {
  const root = playbook[0]?.file ?? '';
  const request = {
    ...rest,
    playbook: root,
    inventory: inventory.map(({ file }) => file),
    shippedDir: path.dirname(root),
    inventoryOptional: inventory.length === 0,
  };
  return loadFrom(keptFiles([...playbook, ...inventory]), request);
}

/** Places in files are needed only for messages: the files are read without them first, and once more with them if there is a mistake. */
async function loadFrom(files: Files, request: LoadRequest): Promise<LoadedProject> {
  const quick = await attempt(files, request, true);
  return quick.ok ? quick : await attempt(files, request, false);
}

async function attempt(files: Files, request: LoadRequest, ahead: boolean): Promise<LoadedProject> {
  const { cwd, env, shippedDir, extraVars = {}, expression, nowMs, hasStore, offers, draft = false } = request;
  const context: LoadContext = {
    ...{ files, cwd, env, shippedDir, ahead, nowMs, hasStore, offers, draft },
    mistakes: collectMistakes(),
    read: new Map(),
  };

  const alone = request.playbook === undefined;
  const root = request.playbook === undefined ? undefined : await findRoot(context, request.playbook);
  const written = root === undefined ? undefined : await loadPlaybook(context, root);
  const platform = root === undefined && !alone ? undefined : await readPlatform(context, root);
  const playbook =
    written === undefined || platform === undefined
      ? written
      : withNamedChecks(withRequirements(written, platform, context.mistakes), platform, context.mistakes);
  const ownFiles = kept(context);
  const loaded = await loadInventory(context, request.inventory, request.inventoryOptional === true);
  // Without the data of a file, what else could be reported may follow from that: ten mistakes for one tab.
  if ([...context.read.values()].some(({ source }) => source === undefined))
    return { ok: false, diagnostics: inOrder(ofYaml(context), context), sources: shown(context) };
  const typed = platform === undefined ? extraVars : typedVars(extraVars, platform.platform);
  const read = {
    playbook: alone ? noPlaybook : playbook,
    platform,
    loaded,
    extraVars: typed,
    reads: namesInExpression(expression ?? ''),
  };
  const warnings = await checkProject(context, read);

  const sources = shown(context);
  const whole = wholeOf(read);
  // Only a file that was read here knows the places of its mistakes.
  const unrelated =
    expression === undefined || whole === undefined || ahead
      ? []
      : unrelatedTo(expression, whole, context.mistakes, new Set(ownFiles.map(({ file }) => file)));
  const found = context.mistakes.found.filter((mistake) => !unrelated.includes(mistake));
  if (found.length > 0 || read.playbook === undefined || platform === undefined || whole === undefined)
    return { ok: false, diagnostics: inOrder(found, context), sources };
  return {
    ok: true,
    warnings: inOrder(warnings, context),
    unrelated: inOrder(unrelated, context),
    sources,
    value: {
      playbook: { ...read.playbook.playbook, files: ownFiles },
      platform: platform.platform,
      inventory: loaded === undefined || loaded === 'none' ? emptyInventory : loaded.inventory,
      extraVars: typed,
    },
    placeOf: (name, host) => definitionPlace(whole, name, host),
  };
}

const noPlaybook: LoadedPlaybook = {
  playbook: { name: '', file: '', plays: [], files: [] },
  plays: [],
  values: [],
};

async function findRoot(context: LoadContext, written: string): Promise<Source | undefined> {
  const found = await findFile(context, written, playbookDirectories(context));
  if (found.is === 'read') return found.source;
  if (found.is === 'missing') {
    const hint =
      found.near === undefined
        ? 'looked for in the working directory, in ./playbooks and among the shipped ones'
        : `did you mean "${found.near}"?`;
    context.mistakes.add([
      { file: written, line: 1, column: 1, length: 1, message: 'there is no such playbook', hint },
    ]);
  }
  return undefined;
}

/** platform.yaml beside the playbook, else where playbooks are looked for. */
async function readPlatform(context: LoadContext, root: Source | undefined): Promise<ReadProject['platform']> {
  const beside = root === undefined ? [] : [path.dirname(root.absolute)];
  const found = await findFile(context, 'platform.yaml', [...beside, ...playbookDirectories(context)]);
  if (found.is === 'read') return { platform: await loadPlatform(context, found.source), source: found.source };
  const hint = 'it says which roles, names and facts there are';
  if (found.is === 'missing' && root !== undefined)
    context.mistakes.at({ source: root, path: [] }, 'there is no platform.yaml beside this playbook', { hint });
  if (found.is === 'missing' && root === undefined) {
    const message =
      'there is no platform.yaml in the working directory, in ./playbooks and beside the shipped playbooks';
    context.mistakes.add([{ file: 'platform.yaml', line: 1, column: 1, length: 1, message, hint }]);
  }
  return undefined;
}

const kept = ({ read }: LoadContext): readonly KeptText[] => [...read].map(([file, { text }]) => ({ file, text }));

/** The texts by the names that mistakes use for their files. */
const shown = (context: LoadContext): readonly KeptText[] =>
  kept(context).map(({ file, text }) => ({ file: displayName(context.cwd, file), text }));

/** What is wrong with the files as such. */
const ofYaml = ({ read }: LoadContext): readonly Diagnostic[] => [...read.values()].flatMap(({ mistakes }) => mistakes);

/** First what is no YAML, because others may follow from it; then by file as they were read, from top to bottom. */
function inOrder(found: readonly Diagnostic[], context: LoadContext): readonly Diagnostic[] {
  const files = [...context.read.keys()].map((file) => displayName(context.cwd, file));
  const first = new Set(ofYaml(context));
  return found.toSorted(
    (a, b) =>
      Number(first.has(b)) - Number(first.has(a)) ||
      files.indexOf(a.file) - files.indexOf(b.file) ||
      a.line - b.line ||
      a.column - b.column,
  );
}
