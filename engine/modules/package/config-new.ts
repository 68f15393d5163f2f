import { maskPair } from '../shared/mask.js';
import { isYamlFile, type ConfigFile } from './config.js';
import { newestBeside } from './config-merge.js';
import { readXml, type XmlElement } from '../shared/xml-tree.js';
import { readYaml } from '../shared/yaml-tree.js';

/** So many settings are shown, and so much of each. */
const SHOWN = 20;
const LONGEST = 120;

/** Settings of the package's new defaults that the operator's file lacks, as one warning; none where it lacks none. */
export function newSettings(config: ConfigFile): readonly string[] {
  const newest = newestBeside(config);
  const own = config.text();
  if (newest === undefined || own === null) return [];
  return missing(config, own.text, { path: config.path + newest.suffix, text: newest.text.text });
}

/** The same, of defaults that are not beside the file yet. */
export function missing(
  { path, setLater }: ConfigFile,
  own: string,
  defaults: { readonly path: string; readonly text: string },
): readonly string[] {
  const [has, offers] = [settingsIn(own, path), settingsIn(defaults.text, path)];
  if (has === undefined || offers === undefined)
    return [`new defaults of ${path} are in ${defaults.path}, which cannot be read: compare the two`];
  const isSetLater = (name: string): boolean => setLater.some((one) => name === one || name.startsWith(`${one}/`));
  const added = [...offers]
    .filter(([name]) => !has.has(name) && !isSetLater(name))
    .map(([name, value]) => shown(name, value));
  if (added.length === 0) return [];
  const more = added.length > SHOWN ? [`… and ${added.length - SHOWN} more: diff ${path} ${defaults.path}`] : [];
  const head = `${path} was kept; ${defaults.path} has settings that it lacks. After the run, add by hand what you need:`;
  return [[head, ...[...added.slice(0, SHOWN), ...more].map((one) => `+ ${one}`)].join('\n')];
}

/** Each setting by its whole name; undefined for a text that cannot be read. */
function settingsIn(text: string, path: string): ReadonlyMap<string, string> | undefined {
  if (isYamlFile(path)) {
    const read = readYaml(text);
    if (read.is === 'wrong') return undefined;
    return new Map([...read.yaml.values].map(([name, value]) => [name, JSON.stringify(value)]));
  }
  const read = readXml(text);
  return read.is === 'wrong' ? undefined : new Map(read.roots.flatMap((root) => leavesOf(root, '', text)));
}

function leavesOf(element: XmlElement, within: string, text: string): readonly (readonly [string, string])[] {
  const name = within === '' ? element.name : `${within}/${element.name}`;
  if (element.children.length > 0) return element.children.flatMap((child) => leavesOf(child, name, text));
  return [[name, element.texts.map((t) => text.slice(t.start, t.end)).join(' ')]];
}

function shown(name: string, value: string): string {
  const line = `${name}: ${value.replaceAll(/\s+/g, ' ')}`;
  const [masked] = maskPair(line, line);
  return masked.length > LONGEST ? `${masked.slice(0, LONGEST)}…` : masked;
}
