import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import { invalid } from './exit.js';
import { MOST_OF, readFileWithin, whyNotRead } from '../../lib/bounded-file.js';

/** `-e`: `name=value`, a JSON object, or `@FILE` with an object in YAML or JSON. Later ones win. */
export async function extraVarsOf(texts: readonly string[]): Promise<JsonObject> {
  let vars: JsonObject = {};
  for (const text of texts) {
    vars = { ...vars, ...(text.startsWith('@') ? await fromFile(text) : fromText(text)) };
  }
  return vars;
}

function fromText(text: string): JsonObject {
  if (text.trimStart().startsWith('{')) return asObject(`-e ${text.slice(0, 60)}`, () => JSON.parse(text) as Json);
  const at = text.indexOf('=');
  if (at < 1) throw invalid(`-e takes name=value, a JSON object or @FILE, not "${text}"`);
  return { [text.slice(0, at)]: text.slice(at + 1) };
}

async function fromFile(text: string): Promise<JsonObject> {
  let content: string;
  try {
    content = readFileWithin(text.slice(1), MOST_OF.text).toString('utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw invalid(`-e ${text}: ${missing ? 'file not found' : `the file ${whyNotRead(error)}`}`);
  }
  // Loaded only where a file is named: most commands need no parser.
  const { parse } = await import('yaml');
  return asObject(`-e ${text}`, () => parse(content) as Json);
}

function asObject(what: string, read: () => Json): JsonObject {
  let value: Json;
  try {
    value = read();
  } catch (error) {
    throw invalid(`${what}: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`);
  }
  if (!isObject(value)) throw invalid(`${what}: not an object of names and values`);
  return value;
}
