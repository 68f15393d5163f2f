import type { FileContent } from '../../facts/file.js';
import { blocked, type Verdict } from '../../terms/change.js';
import { elementTexts } from '../shared/xml-elements.js';
import { readYaml } from '../shared/yaml-tree.js';
import type { Args } from './schema.js';

/** The files of a service that are checked; `pair` is absent where its configuration may do without, and does. */
export interface Paths {
  readonly pair?: { readonly certificate: string; readonly key: string };
  readonly authorities: readonly string[];
}

/** The files that a configuration names under these keys; or why it does not. */
export function pathsIn(file: string, args: Args, found: FileContent): Paths | Verdict {
  if (found === null) return blocked(`there is no ${file}`);
  const read = valuesIn(found.text, args.format);
  if (typeof read !== 'function') return blocked(`${file}: ${read.reason}`, read.hint);
  const keys = [args.certificate, args.key, ...(args.authorities === undefined ? [] : [args.authorities])];
  const paths = keys.map((key) => read(key).map((value) => pathOf(value, args)));
  const without = args.optional === true && paths[0]?.length === 0 && paths[1]?.length === 0;
  for (const [i, key] of keys.entries()) {
    if (i < 2 && paths[i]?.length === 0 && !without)
      return blocked(`${file} names no file under ${key}`, `say there which file it is: ${key}: /…`);
    const wrong = paths[i]?.find((path) => path.wrong !== undefined);
    if (wrong !== undefined)
      return blocked(`${key} in ${file} is "${wrong.written}", ${wrong.wrong ?? ''}`, 'write the whole path');
  }
  const [certificate = [], key = [], authorities = []] = paths.map((all) => all.map(({ path }) => path));
  return {
    ...(without ? {} : { pair: { certificate: certificate.at(-1) ?? '', key: key.at(-1) ?? '' } }),
    authorities,
  };
}

type Wrong = { readonly reason: string; readonly hint?: string };
/** The texts under a key, and `true`. */
export type ConfigValues = (key: string) => readonly string[];

export const valuesIn = (text: string, format: Args['format']): ConfigValues | Wrong =>
  format === 'xml' ? xmlValues(text) : yamlValues(text);

function yamlValues(text: string): ConfigValues | Wrong {
  const read = readYaml(text);
  if (read.is === 'wrong') return read;
  return (key) =>
    [read.yaml.values.get(key) ?? []]
      .flat()
      .filter((v) => (typeof v === 'string' && v !== '') || v === true)
      .map(String);
}

function xmlValues(text: string): ConfigValues | Wrong {
  const whole = elementTexts(text, '');
  if (whole.is === 'wrong') return whole;
  return (key) => {
    const read = elementTexts(text, key);
    return read.is === 'texts' ? read.texts.filter((v) => v !== '') : [];
  };
}

/** `${NAME}` is a variable of the service's environment. */
export function pathOf(
  written: string,
  { variables = {}, relative_to: below }: Pick<Args, 'variables' | 'relative_to'>,
): { readonly written: string; readonly path: string; readonly wrong?: string } {
  const path = written.replace(/\$\{(\w+)\}/g, (all, name: string) => variables[name] ?? all);
  const unknown = /\$\{[^}]*\}/.exec(path)?.[0];
  if (unknown !== undefined) return { written, path, wrong: `and the value of ${unknown} is not known` };
  if (path.startsWith('/')) return { written, path };
  return below === undefined
    ? { written, path, wrong: 'which is no absolute path' }
    : { written, path: `${below}/${path}` };
}
