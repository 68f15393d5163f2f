import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const engine = join(root, 'engine');

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((e) => e.isFile() && e.name.endsWith('.ts') && !e.name.includes('.generated.'))
    .map((e) => join(e.parentPath, e.name));
}

/** Where the names may stand: in the platforms, and in the examples of schemas, which only the build reads. */
const excepted = ['platforms/', 'terms/schemas/'];

/** Code without its comments: an example in a docstring is no knowledge. */
const code = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');

/** Every name of platform.yaml that is a literal: packages, services, directories, tools. */
function namesOfThePlatform(): readonly string[] {
  const { names, roles } = parse(readFileSync(join(root, 'playbooks/platform.yaml'), 'utf8')) as {
    names: Record<string, Record<string, unknown>>;
    roles: Record<string, unknown>;
  };
  const literals = Object.values(names)
    .flatMap((group) => Object.values(group))
    .filter((v): v is string => typeof v === 'string' && !v.includes('{{') && v.length > 4);
  return [
    ...new Set([
      ...literals,
      // These words are used elsewhere, too: of ssh, of HTTP and the store, of a zone.
      ...Object.keys(roles).filter((role) => !['agent', 'server', 'worker'].includes(role)),
      'opensearch',
      'wazuh',
      'cluster.routing',
    ]),
  ].filter((n) => n !== 'platform');
}

const escaped = (name: string): string => name.toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

test('the engine knows no indexer: no name of the platform stands in it outside its folder', () => {
  const names = new RegExp(`\\b(?:${namesOfThePlatform().map(escaped).join('|')})\\b`, 'g');
  const found = filesBelow(engine)
    .map((file) => ({ file: relative(engine, file), text: code(readFileSync(file, 'utf8')).toLowerCase() }))
    .filter(({ file }) => !excepted.some((folder) => file.startsWith(folder)))
    .flatMap(({ file, text }) => (text.match(names) ?? []).map((name) => `${file}: ${name}`));
  expect(found).toEqual([]);
});
