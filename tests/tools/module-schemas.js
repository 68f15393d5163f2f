/**
 * Writes schemas/modules/ and schemas/checks/ from the schema.ts of each module, which its types come from as well, and from its README.
 * Editors, the compiled validators and the reference pages read these files.
 */
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { head, readSources, writeSchema } from './schema-sources.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const SUFFIX = '.schema.json';

/** A playbook has them as keys of a step, not as modules. */
const CHECKS = new Set(['check', 'wait_for']);

/** Folders of modules: the general ones, and those of each platform. */
const homes = () => [
  'engine/modules',
  ...readdirSync(path.join(root, 'engine/platforms')).map((platform) => `engine/platforms/${platform}/modules`),
];

/** Each folder with a schema of its own is a module; its name is the folder's. */
export const moduleFolders = () =>
  homes().flatMap((home) =>
    readdirSync(path.join(root, home), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(path.join(root, home, entry.name, 'schema.ts')))
      .map(({ name }) => ({ name, folder: `${home}/${name}` })),
  );

/** The names of modules that a step may have. */
export const stepModules = () =>
  moduleFolders()
    .map(({ name }) => name)
    .filter((name) => !CHECKS.has(name))
    .toSorted();

/** The paragraphs of a module's README below its title, each on one line. The first says what the module does. */
export function paragraphsOf({ folder }) {
  const [, ...paragraphs] = readFileSync(path.join(root, folder, 'README.md'), 'utf8')
    .trim()
    .split(/\n{2,}/);
  if (paragraphs.length === 0) throw new Error(`${folder}/README.md: say below the title what the module does`);
  return paragraphs.map((paragraph) => paragraph.replaceAll(/\s*\n\s*/g, ' '));
}

const asFile = (module, schema) => ({
  ...head(module.folder),
  title: module.name,
  description: paragraphsOf(module)[0],
  ...schema,
});

/** Writes a file only where it differs, and removes those of modules that are gone. Gives the names of modules that need no host, and how others install. */
export async function writeModuleSchemas() {
  const modules = moduleFolders();
  const sources = await readSources(modules.map(({ folder }) => folder));
  const wanted = new Map(
    modules.map((module, i) => [
      `${CHECKS.has(module.name) ? 'checks' : 'modules'}/${module.name}${SUFFIX}`,
      asFile(module, sources[i].schema),
    ]),
  );
  for (const [file, schema] of wanted) await writeSchema(file, schema);
  for (const kind of ['modules', 'checks'])
    for (const name of readdirSync(path.join(root, 'schemas', kind)))
      if (!wanted.has(`${kind}/${name}`)) rmSync(path.join(root, 'schemas', kind, name));
  const exported = (key) =>
    modules.flatMap(({ name }, i) => (sources[i][key] === undefined ? [] : [[name, sources[i][key]]]));
  return {
    withoutHost: exported('withoutHost').map(([name]) => name),
    installs: Object.fromEntries(exported('installs')),
  };
}
