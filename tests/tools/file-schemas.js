/** Writes the schemas of the files that users write, from those in engine/terms/schemas, which the types of the engine come from as well. */
import { head, readSources, writeSchema } from './schema-sources.js';

const FILES = ['inventory', 'platform'];

export async function writeFileSchemas() {
  const folders = FILES.map((name) => `engine/terms/schemas/${name}`);
  const sources = await readSources(folders);
  for (const [i, name] of FILES.entries())
    await writeSchema(`${name}.schema.json`, { ...head(folders[i]), ...sources[i].schema });
}
