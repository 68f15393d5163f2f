import { expect, test } from '@jest/globals';
import { checkCondition } from '../../engine/expressions/check.js';
import { environmentOf, environmentWith, type Names } from '../../engine/expressions/environment.js';

const NAMES: Names = {
  roots: {
    installed: { indexer: 'Version' },
    fact: {
      unit: 'string',
      note: 'string',
      used: 'int',
      share: 'double',
      health: 'dyn',
      lists: 'list<string>',
      on: 'bool',
    },
    manager: { package: 'string', lists: 'list<string>' },
    vars: { limit: 'int', wait: 'Duration', space: 'Size', wave: 'Count', shipper: 'string', password: 'Secret' },
  },
  host: { name: 'string' },
  hostLists: ['indexer'],
  choices: new Map([['vars.shipper', ['required', 'install']]]),
};
const { vars = 'dyn', ...everywhere } = NAMES.roots;
/** As a project has it: what differs from play to play is added to a copy. */
const env = environmentWith(environmentOf({ ...NAMES, roots: everywhere }), { vars });

const told = (text: string): readonly string[] =>
  checkCondition(text, env, NAMES).map(
    ({ start, end, reason, hint }) => `${text.slice(start, end)}: ${reason}${hint === undefined ? '' : ` | ${hint}`}`,
  );

test.each([
  'vars.limit < 85 && fact.used >= vars.limit && fact.used > 1.5',
  'fact.share == 1 || fact.used + 0.5 > fact.share',
  'fact.health.count > 3 && fact.health.status == "green" && fact.health.count + 1 == 4',
  'version(fact.health.version) > "2.9" && int(fact.unit) > 3',
  'size(fact.lists) == 2 && "x" in fact.lists',
  'vars.wait > "20m" && "20m" < vars.wait && vars.wait != "10m"',
  'fact.used < vars.space && vars.space <= "10GB" && vars.space == 5',
  'vars.wave == 5 || vars.wave == "10%"',
  'vars.shipper == "install" && vars.shipper in ["install", "required"]',
  'fact.note.like("/" + manager.package + "_" + installed.indexer + "_")',
  'string(installed.indexer).like(r"^4") && version(installed.indexer) == installed.indexer',
  'manager.lists.all(i, i in fact.lists) && fact.lists == []',
  'has(installed.indexer) && string(vars.wait) == "10m"',
])('nothing is wrong with %s', (text) => {
  expect(told(text)).toEqual([]);
});

test.each<readonly [string, ...string[]]>([
  ['vars.limit < "85"', 'vars.limit < "85": a number and text have no order | write vars.limit < 85'],
  ['fact.unit > 3', 'fact.unit > 3: text and a number have no order | write int(fact.unit) > 3'],
  ['fact.unit == 3', 'fact.unit == 3: text never equals a number | write fact.unit == "3"'],
  ['fact.on == "true"', 'fact.on == "true": true or false never equals text | write fact.on == true'],
  ['fact.note.lke("due")', 'fact.note.lke("due"): there is no function lke() | did you mean "like"?'],
  ['fact.note.like(3)', 'fact.note.like(3): like() cannot be used with text and a number'],
  ['size(vars.wait) > 1', 'size(vars.wait): size() cannot be used with a duration'],
  // An order of texts is that of their letters: "2.9.0" would be above "2.16.0".
  ['fact.unit < fact.note', 'fact.unit < fact.note: text has no order | write version(fact.unit) < version(fact.note)'],
  ['fact.unit < "active"', 'fact.unit < "active": text has no order | convert both sides with version() or int()'],
  [
    'fact.health.version > "2.9"',
    'fact.health.version > "2.9": a JSON value and text have no order | write version(fact.health.version) > "2.9"',
  ],
  [
    'fact.health.nodes.exists(n, n.version > "2.9")',
    'n.version > "2.9": a JSON value and text have no order | write version(n.version) > "2.9"',
  ],
  ['fact.on < true', 'fact.on < true: true or false has no order'],
  [
    'installed.indexer == 4',
    'installed.indexer == 4: a version never equals a number | write installed.indexer == "4"',
  ],
  ['installed.indexer == ""', 'installed.indexer == "": a version is never "" | write not(has(installed.indexer))'],
  ['installed.indexer != ""', 'installed.indexer != "": a version is never "" | write has(installed.indexer)'],
  ['installed.indexer == "latest"', '"latest": "latest" is not a version | write it as "4.14.7"'],
  ['vars.wait > "20 minutes"', '"20 minutes": "20 minutes" is not a duration | write it as "90s", "10m" or "1h30m"'],
  ['vars.wait > 20', 'vars.wait > 20: a duration and a number have no order'],
  ['vars.space < vars.wait', 'vars.space < vars.wait: a size and a duration have no order'],
  ['vars.wave > 5', 'vars.wave > 5: a count or share and a number have no order'],
  ['vars.shipper == "instal"', '"instal": vars.shipper is never "instal" | did you mean "install"?'],
  ['"no" != vars.shipper', '"no": vars.shipper is never "no" | it is required, install'],
  ['vars.shipper in ["install", "x"]', '"x": vars.shipper is never "x" | it is required, install'],
  ['vars.password == "x"', 'vars.password == "x": a secret never equals text | no expression reads a secret'],
  ['3 in fact.lists', '3 in fact.lists: this list never contains a number'],
  ['"x" in fact.unit', '"x" in fact.unit: "in" needs a list, not text'],
  ['fact.unit.state == "x"', 'state: fact.unit is text: it has no "state"'],
  ['fact.lists.first == "x"', 'first: fact.lists is a list: it has no "first"'],
  [
    '(fact.on ? "x" : 3) == "x"',
    'fact.on ? "x" : 3: both results of ?: must have one type; they are text and a number',
  ],
  // What the library knows, and the evaluator does not.
  ['fact.unit.matches("^a")', 'fact.unit.matches("^a"): there is no function matches() | did you mean "like"?'],
  ['fact.unit.startsWith("a")', 'fact.unit.startsWith("a"): there is no function startsWith() | did you mean "like"?'],
  ['fact.unit.endsWith("a")', 'fact.unit.endsWith("a"): there is no function endsWith() | did you mean "like"?'],
  ['fact.lists.all(fact.unit)', 'fact.lists.all(fact.unit): all() cannot be used with a list and text'],
  ['{"a": 1} == fact.health', '{"a": 1}: a map cannot be written here'],
  [
    'size(fact.lists.filter(i, i != "")) > 1',
    'fact.lists.filter(i, i != ""): there is no function filter() | there are has, not, all, exists, exists_one, size, like, version, int, string',
  ],
  [
    'fact.lists[vars.limit] == "x"',
    'fact.lists[vars.limit]: a key or an index can only follow a name, and an index must be a literal',
  ],
  [
    'vars.limit < "85" && fact.unit > 3',
    'vars.limit < "85": a number and text have no order | write vars.limit < 85',
    'fact.unit > 3: text and a number have no order | write int(fact.unit) > 3',
  ],
])('%s', (text, ...mistakes) => {
  expect(told(text)).toEqual(mistakes);
});
