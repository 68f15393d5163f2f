import { afterEach, describe, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { bench, settledOf } from './bench-hosts.js';

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

/** What a fact is on host a, as a `record` step keeps it; its failure's reason when it is not known. */
async function fact(source: string, files: Readonly<Record<string, string>> = {}): Promise<unknown> {
  shop = bench(
    `
playbook: P
plays:
  - play: One
    hosts: a
    steps:
      - step: note
        record: { values: { it: "{{fact.it}}" } }
`,
    ['a'],
    `  it: { description: It, ${source} }\n`,
  );
  for (const [name, text] of Object.entries(files)) writeFileSync(shop.path(name), text);
  const { events } = await shop.run('apply');
  const end = events.find((e) => e.e === 'settled');
  if (end?.e !== 'settled') throw new Error(JSON.stringify(events));
  return end.as === 'ok' || end.as === 'done' ? (end.value as { it: unknown }).it : end.reason;
}

describe('a fact of the host at hand', () => {
  test.each<[string, string, Readonly<Record<string, string>>, unknown]>([
    ['a file as text', 'file: "@/f"', { f: 'one\ntwo\n' }, 'one\ntwo\n'],
    [
      'JSON of a file that is nested too deeply',
      'file: "@/f", format: json, pointer: /0',
      { f: '['.repeat(100_000) + ']'.repeat(100_000) },
      expect.stringMatching(/\/f is nested more than 500 levels deep, the most that are read$/),
    ],
    [
      'JSON that a command prints, nested too deeply',
      'command: [cat, "@/f"], type: json',
      { f: '['.repeat(100_000) + ']'.repeat(100_000) },
      expect.stringMatching(/ is nested more than 500 levels deep, the most that are read$/),
    ],
    ['a command with a number for an argument', 'command: [echo, "{{all_hosts.test.length}}"]', {}, '1'],
    [
      'a command with a list for an argument',
      'command: [echo, "{{all_hosts.test}}"]',
      {},
      expect.stringMatching(/is no list of arguments: text and numbers$/),
    ],
    ['a pointer into a JSON file', 'file: "@/f", format: json, pointer: /a/1', { f: '{"a":[1,{"b":2}]}' }, { b: 2 }],
    [
      'a nested YAML key',
      'file: "@/f", format: yaml, pointer: /server.ssl.key',
      { f: 'server:\n  ssl: { key: /k }\n' },
      '/k',
    ],
    ['a flat YAML key', 'file: "@/f", format: yaml, pointer: /server.ssl.key', { f: 'server.ssl.key: /k\n' }, '/k'],
    [
      'a JSON file less what its reader fills in',
      `file: "@/f", format: json, leave_out: '\\{<.*>\\}'`,
      { f: '{"a":[{"b":"{< .x >}","c":1}],"d":["{< .y >}","e"]}' },
      { a: [{ c: 1 }] },
    ],
    [
      'what another element of its name overrides, with no secret',
      'file: "@/f", format: xml, elements: r/i, overridden_unless: [host, ca]',
      {
        f: '<r><i><on>no</on><s><key>/a.pem</key></s><password>old</password></i>\n<i><on>yes</on><hosts><host>1</host><host>2</host></hosts><on/><s/><s><key>/b.pem</key><key>/c.pem</key><cas><ca>1</ca><ca>2</ca></cas></s></i></r>',
      },
      ['on: no', 's/key: /a.pem', 'password: [hidden]', 'on: yes', 's/key: /b.pem'],
    ],
    ['a file that is not there, by its default', 'file: "@/f", default: none', {}, 'none'],
    [
      'a key that is not there, by its default',
      'file: "@/f", format: yaml, pointer: /b, default: 0',
      { f: 'a: 1\n' },
      0,
    ],
    ['the exit status of a command', "command: [sh, -c, 'echo 7; exit 3'], exit: value", {}, 3],
    ['the exit status of a command that succeeds', 'command: ["true"], exit: value', {}, 0],
    ['no status of a program that is not there', 'command: [no-such-program], exit: value, default: -1', {}, -1],
    [
      'no status of a program that is not there, without a default',
      'command: [no-such-program], exit: value',
      {},
      expect.stringMatching(/no-such-program ended with status 127$/),
    ],
    [
      'the first group of what a command prints',
      "command: [printf, 'x\\nversion: 1.2\\n'], pattern: '^version: (.*)$'",
      {},
      '1.2',
    ],
    ['a command that ends as it may', 'command: [sh, -c, "echo inactive; exit 3"], exit: [0, 3]', {}, 'inactive'],
    ['a command that ends otherwise, by its default', 'command: ["false"], default: no', {}, 'no'],
    ['a declared number', 'command: [echo, " 85"], type: number', {}, 85],
    ['a command that prints nothing, by its default', 'command: ["true"], default: no', {}, 'no'],
    ['a number that a command does not print, by its default', 'command: ["true"], type: number, default: 5', {}, 5],
    ['JSON that a command does not print, by its default', 'command: ["true"], type: json, default: {}', {}, {}],
    ['a key in JSON that is not printed', 'command: ["true"], pointer: /a, default: none', {}, 'none'],
    ['a command that prints nothing, without a default', 'command: ["true"]', {}, ''],
    ['the default of a declared number', 'command: ["false"], type: number, default: "0"', {}, 0],
    ['a declared version, as it is written', 'command: [echo, v4.12.0-1], type: version', {}, 'v4.12.0-1'],
    ['a number where text is declared', 'file: "@/f", format: json, pointer: /a, type: string', { f: '{"a":5}' }, '5'],
    ['a number in text, by its default', 'file: "@/f", format: json, pointer: /a, default: 0', { f: '{"a":"5"}' }, 5],
    ['a list of texts', 'file: "@/f", format: json, pointer: /a, type: list', { f: '{"a":["x",1]}' }, ['x', '1']],
  ])('%s', async (_, source, files, value) => {
    expect(await fact(source, files)).toEqual(value);
  });

  test.each<[string, string, Readonly<Record<string, string>>, RegExp]>([
    ['no file and no default', 'file: "@/f"', {}, /there is no .*\/f/],
    ['a file that is no JSON', 'file: "@/f", format: json', { f: '<html>' }, /\/f is no JSON/],
    [
      'a YAML key that stands twice',
      'file: "@/f", format: yaml',
      { f: 'a.b: 1\na: { b: 2 }\n' },
      /"a\.b" stands in lines 1 and 2/,
    ],
    ['a command that fails', 'command: [sh, -c, "exit 7"]', {}, /ended with status 7/],
    ['no number', 'command: [echo, abc], type: number', {}, /the value of echo abc is "abc", not a number/],
    ['no version', 'command: [echo, latest], type: version', {}, /is "latest", not a version/],
    [
      'a list where text is declared',
      'file: "@/f", format: json, pointer: /a, type: string',
      { f: '{"a":[1]}' },
      /the value of .*\/f at \/a is \[1\], not text/,
    ],
  ])('is not known, with the reason: %s', async (_, source, files, reason) => {
    expect(await fact(source, files)).toMatch(reason);
  });

  test('a disk tells its free and total bytes', async () => {
    const { free_bytes, total_bytes } = (await fact('disk: "@/not/there/yet"')) as Record<string, number>;
    expect([typeof free_bytes, Number(total_bytes) > Number(free_bytes)]).toEqual(['number', true]);
  });
});

test('a step whose effect makes its own `when` false is done, not skipped', async () => {
  shop = bench(
    `
playbook: P
plays:
  - play: One
    hosts: a
    steps:
      - step: make
        when: fact.note == "due"
        file: { path: "@/note", state: file, content: done }
`,
    ['a'],
    '  note: { description: Note, file: "@/note", default: due }\n',
  );
  const ran = await shop.run('apply');
  expect([ran.end, settledOf(ran), readFileSync(shop.path('note'), 'utf8')]).toEqual([
    'done',
    ['a make: done'],
    'done',
  ]);
});

test('an expression reads facts and variables by their declared types', async () => {
  shop = bench(
    `
playbook: P
vars: { engine: "{{fact.engine}}", least: 80, label: "{{host.name}}-{{fact.used}}", texts: ["{{fact.used}}"] }
plays:
  - play: One
    hosts: a
    steps:
      - step: typed
        check:
          that:
            - fact.used > vars.least && fact.used + 1 == 86
            - fact.engine > "4.9" && vars.engine >= fact.engine && vars.engine < "4.14"
            - not(has(fact.none)) && not(fact.none < "9")
            - vars.label == "a-85" && vars.texts == [85]
          message: not as declared
      - step: of a step
        vars: { least: "{{fact.used}}", other: 5m }
        check: { that: fact.used == vars.least && vars.other == "5m", message: not as declared }
`,
    ['a'],
    `  used: { description: Used, command: [echo, "85"], type: number }
  engine: { description: Engine, command: [echo, 4.12.0-1], type: version }
  none: { description: None, command: ["false"], type: version, default: "" }
`,
  );
  expect(settledOf(await shop.run('apply'))).toEqual(['a typed: ok', 'a of a step: ok']);
});
