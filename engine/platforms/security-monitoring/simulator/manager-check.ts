import { textAt } from '../../../simulator/files.js';
import type { PlatformNames } from './names.js';
import type { HostState } from './state.js';

/** What is wrong with the manager's configuration as its own check (`analysisd -t`) says it, a line each; empty when nothing is. */
export function checkManagerConfig(host: HostState, names: PlatformNames): string[] {
  const text = textAt(host, names.manager.config);
  const short = `etc/${names.manager.config.slice(names.manager.config.lastIndexOf('/') + 1)}`;
  if (text === undefined) return [`(1226): Error reading XML file '${short}': no such file.`];
  const unclosed = unclosedElement(text);
  if (unclosed !== undefined) return [`(1226): Error reading XML file '${short}': ${unclosed}.`];
  return lastRulesetLists(text)
    .filter((list) => textAt(host, `${names.manager.install_dir}/${list}`) === undefined)
    .map((list) => `(1103): Could not open file '${list}' of the ruleset.`);
}

/** A second `ruleset` drops the lists of the first. */
function lastRulesetLists(text: string): string[] {
  const ruleset = [...withoutComments(text).matchAll(/<ruleset>([\s\S]*?)<\/ruleset>/g)].at(-1)?.[1] ?? '';
  return [...ruleset.matchAll(/<list>([^<]*)<\/list>/g)].map((m) => (m[1] ?? '').trim());
}

/** Elements must be closed in order; several roots and bare `&` are fine. */
function unclosedElement(text: string): string | undefined {
  const open: string[] = [];
  for (const [, close, name = '', self] of withoutComments(text).matchAll(
    /<(\/?)([A-Za-z_][\w.-]*)(?:\s[^<>]*?)?(\/?)>/g,
  )) {
    if (self === '/') continue;
    if (close !== '/') open.push(name);
    else if (open.pop() !== name) return `XMLERR: Element '${name}' not opened`;
  }
  const left = open.at(-1);
  return left === undefined ? undefined : `XMLERR: Element '${left}' not closed`;
}

/** And without `\<`, which is text. */
const withoutComments = (text: string): string => text.replaceAll('\\<', '').replace(/<!--[\s\S]*?-->/g, '');

/** What the manager takes of its connector's configuration: of several elements of a name the last, as a whole. */
export interface ConnectorConfig {
  readonly enabled: boolean;
  readonly hosts: readonly string[];
  /** Certificate, key and authorities. */
  readonly files: readonly string[];
}

export function connectorConfig(text: string): ConnectorConfig | undefined {
  const block = lastOf(withoutComments(text), 'indexer');
  if (block === undefined) return undefined;
  const ssl = lastOf(block, 'ssl') ?? '';
  const own = ['certificate', 'key'].flatMap((name) => lastOf(ssl, name)?.trim() ?? []);
  return {
    enabled: lastOf(block, 'enabled')?.trim() !== 'no',
    hosts: textsOf(lastOf(block, 'hosts') ?? '', 'host'),
    files: [...own, ...textsOf(lastOf(ssl, 'certificate_authorities') ?? '', 'ca')],
  };
}

/** The inside of each element of a name. */
const insides = (text: string, name: string): readonly string[] =>
  [...text.matchAll(new RegExp(`<${name}(?:\\s[^<>]*)?>([\\s\\S]*?)</${name}>`, 'g'))].map((m) => m[1] ?? '');
const lastOf = (text: string, name: string): string | undefined => insides(text, name).at(-1);
const textsOf = (text: string, name: string): readonly string[] => insides(text, name).map((t) => t.trim());
