/** Writes the schemas of the files that users write, from those in engine/terms/schemas, which types of the engine come from as well. */
import { stepModules } from './module-schemas.js';
import { head, readSources, writeSchema } from './schema-sources.js';

const FILES = ['inventory', 'platform', 'playbook', 'model'];

/** A step, a `temporary` and a named check may have each module as a key. */
function addModules(...holders) {
  for (const name of stepModules())
    for (const { properties } of holders) properties[name] = { $ref: `arguments.schema.json#/$defs/${name}` };
}

export async function writeFileSchemas() {
  const folders = FILES.map((name) => `engine/terms/schemas/${name}`);
  const sources = await readSources(folders);
  for (const [i, { schema }] of sources.entries()) {
    if (FILES[i] === 'playbook') addModules(schema.$defs.step, schema.$defs.temporary);
    if (FILES[i] === 'platform') addModules(schema.properties.checks.additionalProperties);
    await writeSchema(`${FILES[i]}.schema.json`, { ...head(folders[i]), ...schema });
  }
}
