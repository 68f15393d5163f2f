import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { namesIn, requiredNamesIn, templateMistake } from '../../engine/language/templates/names.js';
import { render, renderShown } from '../../engine/language/templates/render.js';
import { memberOf, type Scope } from '../../engine/language/templates/rendered.js';
import type { Json, JsonObject } from '../../engine/terms/json.js';

/** A scope over one object; `lost.…` is unknown. */
const scopeOf = (values: JsonObject): Scope => ({
  get(path) {
    if (path[0] === 'lost')
      return { known: false, dependsOn: [`a/${path[1] ?? ''}`], because: `${path.join('.')} is read later` };
    const member = memberOf(values, path);
    return member === undefined ? 'missing' : { known: true, value: member };
  },
});

const values: JsonObject = {
  indexer: { service: 'platform-indexer', 'jvm-options': '/etc/jvm' },
  vars: {
    port: 9200,
    off: false,
    none: null,
    empty: [],
    list: ['a', 'b'],
    mixed: ['a', { $secret: 'api' }],
    object: { a: 1 },
    hosts: [
      { name: 'x', port: 1 },
      { name: 'y', port: 2 },
    ],
  },
  secret: { api: { $secret: 'api' }, indexer: { $secret: 'indexer' } },
  registered: { page: '{{secret.api}} {{indexer.service}}', evil: { a: [{ $secret: 'api' }] } },
};
const scope = scopeOf(values);
const valueOf = (tree: Json): Json => {
  const rendered = render(tree, scope);
  if (rendered.is !== 'value') throw new Error(JSON.stringify(rendered));
  return rendered.value;
};

describe('a text that is only shown', () => {
  it.each([
    ['{{indexer.service}} is down', 'platform-indexer is down'],
    ['{{lost.version}}', '(unknown)'],
    ['{{lost.version}} of {{vars.port}}', '(unknown) of 9200'],
    ['{{release lost.version}} is old', '(unknown) is old'],
    ['is {{vars.absent}}', 'is (unknown)'],
    ['{{vars.list}}', '(unknown)'],
    ['{{#each lost.list}}{{this}}{{/each}}!', '(unknown)!'],
    ['{{#each vars.hosts}}{{name}}:{{lost.port}} {{/each}}', 'x:(unknown) y:(unknown) '],
    ['{{default vars.absent "none"}}', 'none'],
    ['with {{secret.api}}', 'with {{secret.api}}'],
    ['{{secret.api}}', '{{secret.api}}'],
  ])('%s: %s', (text, shown) => {
    expect(renderShown(text, scope)).toBe(shown);
  });
});

describe('render', () => {
  it.each<readonly [string, Json]>([
    ['{{indexer.service}}', 'platform-indexer'],
    ['{{ indexer.service }}', 'platform-indexer'],
    ['{{indexer.jvm-options}}.bak', '/etc/jvm.bak'],
    ['{{vars.port}}', 9200],
    ['{{vars.off}}', false],
    ['{{vars.none}}', null],
    ['{{vars.object}}', { a: 1 }],
    ['{{vars.list.1}}', 'b'],
    ['{{vars.list.[1]}}', 'b'],
    ['https://h:{{vars.port}}/{{vars.off}}', 'https://h:9200/false'],
    ['{{{indexer.service}}}', 'platform-indexer'],
    ['{{upper indexer.service}}', 'PLATFORM-INDEXER'],
    ['{{join vars.list}}', 'a, b'],
    ['{{join vars.list "-"}}', 'a-b'],
    ['{{upper (join vars.list "-")}}!', 'A-B!'],
    ['{{default vars.port 1}}', 9200],
    ['{{default vars.nowhere 1.5}}', 1.5],
    ['{{default vars.none "x y"}}', 'x y'],
    ['{{default vars.nowhere vars.list}}', ['a', 'b']],
    ['{{#each vars.hosts}}{{name}}:{{port}}{{#unless @last}},{{/unless}}{{/each}}', 'x:1,y:2'],
    ['{{#each vars.list}}{{@index}}{{this}}{{../indexer.service}} {{/each}}', '0aplatform-indexer 1bplatform-indexer '],
    ['{{#each vars.object}}{{@key}}={{this}}{{@root.vars.port}}{{/each}}', 'a=19200'],
    ['{{#each vars.empty}}x{{else}}none{{/each}}', 'none'],
    ['{{#if vars.off}}x{{else if vars.port}}y{{/if}}', 'y'],
    ['{{#with vars.object}}{{a}}{{/with}}', '1'],
    ['{{! a note }}plain', 'plain'],
    [String.raw`\{{indexer.service}}`, '{{indexer.service}}'],
    ['no template } {', 'no template } {'],
  ])('%p is %p', (template, expected) => {
    expect(valueOf(template)).toEqual(expected);
  });

  it.each<readonly [string, Json]>([
    ['{{secret.api}}', { $secret: 'api' }],
    ['user:{{secret.api}}@{{indexer.service}}', { $text: ['user:', { $secret: 'api' }, '@platform-indexer'] }],
    ['{{secret.api}}{{secret.indexer}}', { $text: [{ $secret: 'api' }, { $secret: 'indexer' }] }],
    ['{{join vars.mixed ":"}}', { $text: ['a:', { $secret: 'api' }] }],
    ['{{#each vars.mixed}}{{this}};{{/each}}', { $text: ['a;', { $secret: 'api' }, ';'] }],
  ])('%p keeps its secrets as references', (template, expected) => {
    expect(valueOf(template)).toEqual(expected);
  });

  it.each([
    ['{{indexr.service}}', '"{{indexr.service}}" is undefined'],
    ['a {{vars.object}}', '"{{vars.object}}" is an object: it cannot stand inside a text'],
    ['a {{vars.list}}', '"{{vars.list}}" is a list (join it): it cannot stand inside a text'],
    ['a {{vars.none}}', '"{{vars.none}}" is nothing (null): it cannot stand inside a text'],
    ['{{upper secret.api}}', '"upper" takes a text that is no secret'],
    ['{{upper}}', '"{{upper}}" is undefined'],
    ['{{upper vars.list vars.list}}', '"upper" takes 1 values'],
    ['{{shout vars.list}}', 'there is no helper "shout"; there are by_release, default, join, lower, release, upper'],
    [
      '{{lookup vars "port"}}',
      'there is no helper "lookup"; there are by_release, default, join, lower, release, upper',
    ],
    ['{{#log vars}}{{/log}}', 'there is no block "#log"; there are #if, #unless, #each and #with'],
    ['{{> partial}}', 'templates here have no partials'],
    ['{{indexer.service', 'this is no template: a "{{" has no "}}"'],
    ['{{#each vars.port}}{{/each}}', '"#each" takes a list or an object; "vars.port" is neither'],
    ['{{registered.evil}}', `"{{registered.evil}}" holds "$secret" or "$text": a host's answer cannot name a secret`],
  ])('%p is wrong: %p', (template, message) => {
    expect(render(template, scope)).toEqual({ is: 'wrong', message });
  });

  it.each([
    'constructor',
    '__proto__',
    'toString',
    'vars.constructor',
    'vars.list.length',
    'vars.list.map',
    'vars.__proto__.polluted',
    'indexer.service.length',
  ])('reaches no %p', (path) => {
    expect(render(`{{${path}}}`, scope).is).toBe('wrong');
    expect(render(`{{#each vars.hosts}}{{${path}}}{{/each}}`, scope).is).toBe('wrong');
    expect(valueOf(`{{default ${path} "safe"}}`)).toBe('safe');
  });

  it('never renders a value again', () => {
    expect(valueOf('{{registered.page}}')).toBe('{{secret.api}} {{indexer.service}}');
    expect(valueOf('got: {{registered.page}}')).toBe('got: {{secret.api}} {{indexer.service}}');
    const property = fc.property(
      fc.string(),
      fc.string({ unit: fc.constantFrom('{{', '}}', 'x', 'secret.api', '#if', '\\', ' ') }),
      (before, data) => {
        const inner = scopeOf({ fact: { x: data }, secret: { api: { $secret: 'api' } } });
        expect(render('{{fact.x}}', inner)).toEqual({ is: 'value', value: data });
        const plain = before.replaceAll('{', '').replaceAll('\\', '');
        expect(render(`${plain}{{fact.x}}`, inner)).toEqual({ is: 'value', value: plain + data });
      },
    );
    fc.assert(property);
  });

  it('keeps the type of every value that a leaf names exactly, and every tree without templates', () => {
    const json = fc.jsonValue().map((v) => JSON.parse(JSON.stringify(v)) as Json);
    const property = fc.property(json, (v) => {
      expect(render({ deep: ['{{vars.x}}'] }, scopeOf({ vars: { x: v } }))).toEqual({
        is: 'value',
        value: { deep: [v] },
      });
      fc.pre(!JSON.stringify(v).includes('{{'));
      expect(render(v, scope)).toEqual({ is: 'value', value: v });
    });
    fc.assert(property);
  });

  it('reads a plain template as Handlebars does', () => {
    const piece = fc.constantFrom(
      '{{indexer.service}}',
      '{{ vars.port }}',
      'a',
      ' ',
      '{',
      '}',
      '/',
      '$&',
      '\n',
      '{{vars.off}}',
    );
    const property = fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
      // A comment sends the same text through Handlebars' own parser.
      const text = `>${pieces.join('')}`;
      expect(render(`${text}.{{!}}`, scope)).toEqual(render(`${text}.`, scope));
    });
    fc.assert(property);
  });

  it('is unknown with every cause, and wrong before that', () => {
    expect(render(['{{lost.a}}', 'x {{lost.b}}', '{{vars.port}}', '{{lost.a}}'], scope)).toEqual({
      is: 'unknown',
      dependsOn: ['a/a', 'a/b'],
      because: 'lost.a is read later, and lost.b is read later',
    });
    expect(render(['{{lost.a}}', '{{vars.nowhere}}'], scope).is).toBe('wrong');
    expect(render('{{default lost.a "x"}}', scope).is).toBe('unknown');
    expect(render('{{upper lost.a}}', scope).is).toBe('unknown');
    expect(render('{{#if vars.port}}yes{{else}}{{lost.a}}{{/if}}', scope)).toEqual({ is: 'value', value: 'yes' });
  });

  it('leaves keys alone', () => {
    expect(valueOf({ '{{vars.port}}': '{{vars.port}}' })).toEqual({ '{{vars.port}}': 9200 });
  });
});

describe('names', () => {
  const tree = {
    a: '{{installed.indexer}} {{installed.indexer}}',
    b: [
      '{{default host.vars.port vars.port}}',
      '{{#each all_hosts.indexer}}{{this}}{{name}}{{../run.id}}{{@index}}{{@root.target.x}}{{/each}}',
    ],
    c: '{{#if vars.on}}{{vars.yes}}{{else}}{{join vars.no}}{{/if}}',
    d: 'none',
    e: '{{broken',
  };
  it('are listed once each, in order', () => {
    const all = [
      'installed.indexer',
      'host.vars.port',
      'vars.port',
      'all_hosts.indexer',
      'run.id',
      'target.x',
      'vars.on',
      'vars.yes',
      'vars.no',
    ];
    expect(namesIn(tree)).toEqual(all);
    expect(requiredNamesIn(tree)).toEqual(all.filter((name) => name !== 'host.vars.port'));
  });

  it('are enough: a scope of just those renders', () => {
    const template = '{{default host.vars.port vars.port}}{{#each vars.list}}{{this}}{{@root.run.id}}{{/each}}';
    const asked: string[] = [];
    const spy: Scope = {
      get: (path) => (asked.push(path.join('.')), { known: true, value: path[1] === 'list' ? ['a'] : 'v' }),
    };
    expect(render(template, spy)).toEqual({ is: 'value', value: 'vav' });
    expect(namesIn(template)).toEqual(expect.arrayContaining(asked));
  });
});

describe('templateMistake', () => {
  it.each([
    ['{{vars.x}}', undefined],
    ['{{vars.x', 'this is no template: a "{{" has no "}}"'],
    ['{{vars.x y}}', 'there is no helper "vars.x"; there are by_release, default, join, lower, release, upper'],
    [
      '{{}}',
      'this is no template: {{ }} holds a name or a helper with names, as in {{vars.heap}} or {{upper vars.heap}}',
    ],
    ['{{#if a}}', 'this is no template: {{#if}} has no {{/if}}'],
    ['{{#each a as |x|}}{{/each}}', '"as |…|" is not understood; use "this" or "../"'],
  ])('%p: %p', (text, expected) => {
    expect(templateMistake(text)).toBe(expected);
  });
});
