/**
 * `npm run new-module NAME [PLATFORM]`: the folder of a new module with a failing case, and its line in the list. Refuses a name that is taken
 * or that no playbook could have, and changes nothing then.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { moduleFolders } from './module-schemas.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const camel = (name) => name.replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase());

const FILES = {
  'README.md': (name) => `# ${name}

TODO: what it does, in one sentence.

TODO: what a reader must know to use it: what it refuses, what an interrupted run does, what is restored.
`,
  'schema.ts': (name, up) => `import { Type, type Static } from 'typebox';
import { absolutePath } from '${up === '../../' ? '../' : `${up}modules/`}shared/arguments.js';

export const schema = Type.Object(
  {
    path: absolutePath({ description: 'TODO: each argument, and each with examples.', examples: ['/etc/hosts'] }),
  },
  { additionalProperties: false, examples: [{ path: '/etc/hosts' }] },
);

export type Args = Static<typeof schema>;
`,
  'module.ts': (name, up) => `import { file } from '${up}facts/file.js';
import { blocked } from '${up}terms/change.js';
import { need } from '${up}terms/fact.js';
import { defineModule } from '${up}terms/module.js';
import type { Args } from './schema.js';

export const ${camel(name)} = defineModule<Args>()({
  name: '${name}',
  // The facts that it decides from; the engine reads them.
  needs: ({ path }, { task }) => ({ now: need(task.on, file, path) }),
  // What a change of it may alter.
  touches: ({ path }, { task }) => [need(task.on, file, path)],
  // What to do, from the values of these facts alone: \`ok\`, \`blocked\`, or a change with its actions.
  decide: ({ path }, { now }) => blocked(\`\${path} \${now.exists ? 'exists' : 'does not exist'}\`, 'TODO: decide'),
});
`,
  'cases.yaml':
    () => `# What the module decides: tests/modules/case-table.ts has the keys. Facts are named as in \`needs\`.
- case: "TODO: a file that is as wanted"
  args: { path: /etc/hosts }
  facts: { now: { exists: false } }
  expect: { is: ok }
`,
};

/** Why the module cannot be made; undefined when it can. */
function whyNot(name, home) {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    return `"${name}" is not the name of a module: words of small letters with hyphens, as in disk-space`;
  if (!existsSync(path.join(root, home, 'index.ts'))) return `there is no list of modules ${home}/index.ts`;
  const taken = moduleFolders().find((module) => module.name === name)?.folder;
  if (taken !== undefined) return `${name} is taken: ${taken}`;
  if (existsSync(path.join(root, home, name))) return `${home}/${name} exists already`;
  const { step, play } = JSON.parse(readFileSync(path.join(root, 'schemas/playbook.schema.json'), 'utf8')).$defs;
  const isKey = name in step.properties || name in (play?.properties ?? {});
  return isKey ? `"${name}" is a key of plays or steps` : undefined;
}

/** The list with one more line, and its import, both in the order of the names. */
function withModule(list, name) {
  const imports = [...list.matchAll(/^import \{ \w+ \} from '\.\/(.+)\/module\.js';\n/gm)];
  const before = imports.filter(([, other]) => other < name).length;
  const lines = [...list.matchAll(/^ {2}\w+,\n/gm)];
  return insert(
    insert(list, lines, before, `  ${camel(name)},\n`),
    imports,
    before,
    `import { ${camel(name)} } from './${name}/module.js';\n`,
  );
}

function insert(text, lines, before, line) {
  const last = lines.at(-1);
  const at = lines[before]?.index ?? last.index + last[0].length;
  return text.slice(0, at) + line + text.slice(at);
}

const [name = '', platform] = process.argv.slice(2);
const home = platform === undefined ? 'engine/modules' : `engine/platforms/${platform}/modules`;
const refusal = whyNot(name, home);
if (refusal !== undefined) {
  console.error(`${refusal}\nnpm run new-module NAME [PLATFORM]`);
  process.exit(2);
}
const up = platform === undefined ? '../../' : '../../../../';
mkdirSync(path.join(root, home, name));
for (const [file, text] of Object.entries(FILES)) writeFileSync(path.join(root, home, name, file), text(name, up));
const list = path.join(root, home, 'index.ts');
writeFileSync(list, withModule(readFileSync(list, 'utf8'), name));
console.log(`${home}/${name}/ is there, and in ${home}/index.ts. Its case fails:
  npm run build && npm run jest -- tests/modules -t ${name}
When it passes: npm run docs, npm run check.`);
