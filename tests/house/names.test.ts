import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const engine = join(root, 'engine');

/** The model is the platform; these few say in their first lines that they know its interfaces. */
const DOMAIN = [
  /^model\//,
  /^machines\/model/,
  /^modules\/agents/,
  /^modules\/(shard-copies|index-versions|index-aliases|cluster-limits|unassigned-shards|plugins|snapshot|saved-objects|ml-commons)(-\w+)?\.ts$/,
  /^machines\/(agent-pages|sign-in)\.ts$/,
  /^facts\/http\.ts$/,
];

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((e) => e.isFile() && e.name.endsWith('.ts') && !e.name.includes('.generated.'))
    .map((e) => join(e.parentPath, e.name));
}

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
      ...Object.keys(roles).filter((r) => r !== 'agent' && r !== 'server'),
      'opensearch',
      'wazuh',
      'cluster.routing',
    ]),
  ].filter((n) => n !== 'platform');
}

test('the engine knows no indexer: no name of the platform stands in it outside the model and the modules of the domain', () => {
  const found = filesBelow(engine)
    .map((file) => ({ file: relative(engine, file), text: code(readFileSync(file, 'utf8')).toLowerCase() }))
    .filter(({ file }) => !DOMAIN.some((pattern) => pattern.test(file)))
    .flatMap(({ file, text }) =>
      namesOfThePlatform().flatMap((name) =>
        new RegExp(`\\b${name.toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\b`).test(text)
          ? [`${file}: ${name}`]
          : [],
      ),
    );
  expect(found).toEqual([]);
});
