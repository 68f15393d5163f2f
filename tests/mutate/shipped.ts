import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Document, isMap, isSeq, parseDocument, visit } from 'yaml';
import { loadTexts } from '../../engine/language/load.js';
import type { Project } from '../../engine/language/project.js';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import type { Json } from '../../engine/terms/json.js';
import { mentionsOf, playsWith, type Place } from './mentions.js';
import { mutantsOf, type Mutant, type Path, type Written } from './mutants.js';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(root, 'playbooks');
const inventory = [
  { file: join(root, 'inventory.yaml'), text: readFileSync(join(root, 'tests/demo/inventory.yaml'), 'utf8') },
];

/** The shipped playbooks as they are read from the disk. */
export const written: readonly Written[] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .sort()
  .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));

/** Parsed once: a mutant is looked up in all of them. */
const documents = new Map(written.map(({ file, text }) => [file, parseDocument(text)]));
const values: ReadonlyMap<string, unknown> = new Map([...documents].map(([file, document]) => [file, document.toJS()]));

export const allMutants = (): readonly Mutant[] => mutantsOf(written);

/** What a mutant is about, as it is written. */
export const nodeOf = ({ file, path }: Mutant): Json =>
  path.reduce<Json>((node, key) => (node as Readonly<Record<string, Json>>)[key] ?? null, values.get(file) as Json);

/** A playbook with the files that it imports, itself among them. */
export const filesWith = (file: string): ReadonlySet<string> => new Set(['platform.yaml', ...imported(file)]);

/** The files of each playbook that stands at the top. What is in a folder below is imported, and seldom run by itself. */
export const filesOf: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  written.filter(({ file }) => !file.includes('/')).map(({ file }) => [file, filesWith(file)]),
);

/** The steps that a mutant is about: its own and those that repeat it, or those that what it alters of the platform leads to. None: any. */
export function placesOf({ file, play, step, path }: Mutant): readonly Place[] {
  if (file === 'platform.yaml') return mentionsOf(path, values);
  const own = [placed(file, play, step), ...repeating(file, path)];
  if (play !== undefined) return own;
  return playsWith(file, values).flatMap((at) => own.map((one) => placed(at.file, at.play, one.step)));
}

const placed = (file: string, play?: string, step?: string): Place => ({
  file,
  ...(play === undefined ? {} : { play }),
  ...(step === undefined ? {} : { step }),
});

/** Where an alias repeats what stands at this path, or around it. */
function repeating(file: string, path: Path): readonly Place[] {
  const document = documents.get(file) ?? new Document();
  const anchors = new Set(
    path.flatMap((_, i) => {
      const node = document.getIn(path.slice(0, i + 1), true);
      return isMap(node) || isSeq(node) ? [node.anchor ?? ''] : [];
    }),
  );
  const places: Place[] = [];
  visit(document, {
    Alias(_, { source }, above) {
      const nameOf = (key: string): string | undefined =>
        above.flatMap((node) => (isMap(node) && node.has(key) ? [String(node.get(key))] : [])).at(-1);
      const [play, step] = [nameOf('play'), nameOf('step')];
      if (anchors.has(source)) places.push(placed(file, play, step));
    },
  });
  return places;
}

/** A value of the platform that no step mentions may be used by another of its values. */
function concernedBy(mutant: Mutant): readonly string[] {
  const places = mutant.file === 'platform.yaml' ? placesOf(mutant) : [];
  return places.length > 0 ? places.map(({ file }) => file) : [mutant.file];
}

function imported(file: string): readonly string[] {
  const text = written.find((w) => w.file === file)?.text ?? '';
  // Looked for beside the file first, then among the shipped ones.
  const next = [...text.matchAll(/^\s*- (?:\{ )?import: ([\w./-]+)/gm)].map(([, to = '']) => {
    const beside = join(dirname(file), to);
    return written.some((w) => w.file === beside) ? beside : to;
  });
  return [file, ...next.flatMap(imported)];
}

/** The shipped playbooks, or a mutant of them. A project is loaded once. */
export class Shipped {
  readonly #texts: readonly { readonly file: string; readonly text: string }[];
  /** The files that the mutant alters the runs of. */
  readonly #files: readonly string[];
  /** The playbooks that were run. */
  readonly used = new Set<string>();
  readonly #projects = new Map<string, Promise<Project | undefined>>();
  /** States that the mutant led to. */
  readonly made = new Map<string, Promise<PlatformState>>();

  constructor(readonly mutant?: Mutant) {
    this.#files = mutant === undefined ? [] : concernedBy(mutant);
    this.#texts = written.map(({ file, text }) => ({
      file: join(folder, file),
      text: mutant?.file === file ? edited(text, mutant) : text,
    }));
  }

  /** Nothing that these take in is altered. */
  areAsShipped(playbooks: readonly string[]): boolean {
    return !playbooks.some((playbook) => this.#files.some((file) => filesOf.get(playbook)?.has(file)));
  }

  /** A playbook as `validate` accepts it; undefined when it refuses. */
  accepted(playbook: string): Promise<Project | undefined> {
    const known = this.#projects.get(playbook) ?? this.#load(playbook);
    this.#projects.set(playbook, known);
    return known;
  }

  async project(playbook: string): Promise<Project> {
    this.used.add(playbook);
    const project = await this.accepted(playbook);
    if (project === undefined) throw new Error(`${playbook} is refused by validate`);
    return project;
  }

  async #load(playbook: string): Promise<Project | undefined> {
    const [first, others] = [join(folder, playbook), this.#texts.filter(({ file }) => file !== join(folder, playbook))];
    const texts = [...this.#texts.filter(({ file }) => file === first), ...others];
    const loaded = await loadTexts({ playbook: texts, inventory, cwd: root, env: {} });
    return loaded.ok ? loaded.value : undefined;
  }
}

/** The text with one thing altered. Aliases are one object with their anchor, so what is altered is altered wherever it is used. */
function edited(text: string, { path, to }: Mutant): string {
  const data = parseDocument(text).toJS() as unknown;
  const last = path.at(-1);
  const holder = holderOf(data, path.slice(0, -1));
  if (to !== undefined) Object.assign(holder, { [String(last)]: to });
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else Reflect.deleteProperty(holder, String(last));
  return JSON.stringify(data);
}

const holderOf = (data: unknown, path: Path): object =>
  path.reduce<object>((at, key) => (at as Record<string, object>)[String(key)] ?? {}, data as object);
