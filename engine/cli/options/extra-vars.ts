import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import { MOST_OF, readFileWithin, whyNotRead } from '../../lib/bounded-file.js';

type Parsed = { readonly vars: JsonObject } | { readonly mistake: string };

/** `-e`: `name=value`, a JSON object, or `@FILE` with an object in YAML or JSON. Later ones win. */
export async function extraVarsOf(texts: readonly string[]): Promise<Parsed> {
  let vars: JsonObject = {};
  for (const text of texts) {
    const more = text.startsWith('@') ? await fromFile(text) : fromText(text);
    if ('mistake' in more) return more;
    vars = { ...vars, ...more.vars };
  }
  return { vars };
}

function fromText(text: string): Parsed {
  if (text.trimStart().startsWith('{')) return asObject(`-e ${text.slice(0, 60)}`, () => JSON.parse(text) as Json);
  const at = text.indexOf('=');
  if (at < 1) return { mistake: `-e takes name=value, a JSON object or @FILE, not "${text}"` };
  return { vars: { [text.slice(0, at)]: text.slice(at + 1) } };
}

async function fromFile(text: string): Promise<Parsed> {
  let content: string;
  try {
    content = readFileWithin(text.slice(1), MOST_OF.text).toString('utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { mistake: `-e ${text}: ${missing ? 'file not found' : `the file ${whyNotRead(error)}`}` };
  }
  // Loaded only where a file is named: most commands need no parser.
  const { parse } = await import('yaml');
  return asObject(`-e ${text}`, () => parse(content) as Json);
}

function asObject(what: string, read: () => Json): Parsed {
  try {
    const value = read();
    return isObject(value) ? { vars: value } : { mistake: `${what}: not an object of names and values` };
  } catch (error) {
    return { mistake: `${what}: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}` };
  }
}
