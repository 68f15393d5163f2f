import { content, file, type FileContent, type FileState } from '../facts/file.js';
import { ok, type Verdict } from '../terms/change.js';
import { need, type Need } from '../terms/fact.js';
import { defineModule } from '../terms/module.js';
import { maskPair } from './mask.js';
import { readXml, type XmlElement } from './xml-tree.js';
import { readYaml } from './yaml-tree.js';

/** Mirrors schemas/modules/new-settings.schema.json. */
interface Args {
  readonly path: string;
  readonly format: 'yaml' | 'xml';
}

/** Where a package manager, or a package's own script, leaves the defaults for a file that it keeps. */
const SUFFIXES = ['.dpkg-dist', '.rpmnew', '.new'] as const;
type Asked = Readonly<Record<string, Need<FileContent> | Need<FileState>>>;

/** So many settings are shown, and so much of each. */
const SHOWN = 20;
const LONGEST = 120;

export const newSettings = defineModule<Args>()({
  name: 'new-settings',
  summary: 'Warn of settings that a new version has and a configuration file of the operator lacks (§9.5.1).',
  onlyLooks: true,
  needs: ({ path }, { task: { on } }): Asked => ({
    text: need(on, content, path),
    ...Object.fromEntries(SUFFIXES.map((suffix) => [`text${suffix}`, need(on, content, path + suffix)])),
    ...Object.fromEntries(SUFFIXES.map((suffix) => [`state${suffix}`, need(on, file, path + suffix)])),
  }),
  touches: () => [],
  decide: (args, found) => judge(args, found),
});

function judge({ path, format }: Args, found: Readonly<Record<string, FileContent | FileState>>): Verdict {
  const left = SUFFIXES.flatMap((suffix) => {
    const text = found[`text${suffix}`] as FileContent;
    // Its time is read only where there are several: a plan may not know it.
    const atMs = (): number => changedAt(found[`state${suffix}`] as FileState);
    return text === null ? [] : [{ path: path + suffix, text: text.text, atMs }];
  });
  const newest = left.length < 2 ? left[0] : [...left].sort((a, b) => b.atMs() - a.atMs())[0];
  const own = found['text'] as FileContent;
  if (newest === undefined || own === null) return ok(`no new defaults lie beside ${path}`);
  const [has, offers] = [settingsIn(own.text, format), settingsIn(newest.text, format)];
  if (has === undefined || offers === undefined)
    return ok(`${newest.path} cannot be compared`, undefined, [
      `new defaults of ${path} are in ${newest.path}, which cannot be read as ${format.toUpperCase()}: compare the two`,
    ]);
  const added = [...offers].filter(([name]) => !has.has(name)).map(([name, value]) => shown(name, value));
  if (added.length === 0) return ok(`${path} lacks no setting of ${newest.path}`, { added });
  const more = added.length > SHOWN ? [`… and ${added.length - SHOWN} more: diff ${path} ${newest.path}`] : [];
  const head = `${path} was kept; ${newest.path} has settings that it lacks. Add by hand what you need:`;
  const lines = [head, ...[...added.slice(0, SHOWN), ...more].map((one) => `+ ${one}`)];
  return ok(`${path} lacks settings of ${newest.path}`, { added }, [lines.join('\n')]);
}

const changedAt = (state: FileState): number => (state.exists ? state.changedAtMs : 0);

/** Each setting by its whole name; undefined for a text that cannot be read. */
function settingsIn(text: string, format: Args['format']): ReadonlyMap<string, string> | undefined {
  if (format === 'yaml') {
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
