import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { service } from '../../engine/facts/service.js';
import { axisOf } from '../../engine/report/document/axis.js';
import { masked } from '../../engine/report/document/mask.js';
import { pictureOf } from '../../engine/report/document/picture.js';
import { render } from '../../engine/report/document/render.js';
import { runDocument, type RunContext } from '../../engine/report/document/run-document.js';
import type { Document, Section } from '../../engine/report/document/document.js';
import { visibleLine } from '../../engine/report/document/visible.js';
import type { Event, Recorded } from '../../engine/terms/event.js';
import { need } from '../../engine/terms/fact.js';
import { sampleDocument } from './sample-document.js';
import { change, ended, intent, on, play, record, settled, started } from './story.js';

const NASTY = [
  ...['<script>alert(1)</script>', '<!--', ']]>', '</td></tr></table>', '"', "'", '&lt;', '&', '<', '>', '<b'],
  ...['|', '||', '`', '```', '~~~', '\\', '\\|', '**', '_', '*', '~~', '#', '# x', '- x', '1. x', '> x', '--- ', '==='],
  ...['[a](http://x)', '![x](y)', '<http://x>', '[x]: y', '$&', '{{x}}', '\n', '\n\n', '\r\n', '\t', '    ', ' '],
  ...[
    '\u001b[31m',
    '\u0000',
    '\u0007',
    '\u009b',
    '\u202e',
    '\u2066',
    '\u200f',
    '\u061c',
    '\u200b',
    '\ufeff',
    '\u2028',
    '\ud800',
  ],
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ maxLength: 6 })), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(''))
  .filter((text) => visibleLine(text).trim() !== '');

/** The same document with these texts, in turn, round and round. */
function withTexts(texts: readonly string[], of: 'plan' | 'run'): Document {
  let i = 0;
  return sampleDocument(() => texts[i++ % texts.length] ?? '', of);
}

const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Cf}|\p{Cs}|[\u2028\u2029]/u; // eslint-disable-line no-control-regex
const FENCES = /^(`{3,})(?:text|diff)\n[^]*?^\1$/gm;
const documentTexts = fc.tuple(
  fc.array(hostile, { minLength: 3, maxLength: 12 }),
  fc.constantFrom('plan' as const, 'run' as const),
);

describe('text from a host stays text', () => {
  /** Emphasis and what a line of a diff is depend on its first character; everything else is the document's own. */
  const tags = (html: string): readonly string[] =>
    [...html.matchAll(/<[^>]*>/g)]
      .map(([tag]) => tag.replace(/ (aria-label|id|href|aria-labelledby)="[^"]*"/g, ''))
      .filter((tag) => !/^<\/?(strong|code|ins|del)>$/.test(tag));
  const body = (html: string): string => html.replace(/<style>[^]*<\/style>/, '');

  test('in HTML: no text makes a tag or breaks an attribute, and nothing in it is unseen', () => {
    fc.assert(
      fc.property(documentTexts, ([texts, of]) => {
        const html = body(render(withTexts(texts, of), 'html'));
        const tame = body(render(withTexts(['x'], of), 'html'));
        expect(tags(html)).toEqual(tags(tame));
        expect(html.replace(/<[^>]*>/g, '')).not.toContain('<');
        expect(html).not.toMatch(UNSEEN);
      }),
      { numRuns: 300 },
    );
  });

  test('in Markdown: no text makes a table, a heading, a link or HTML, and nothing in it is unseen', () => {
    const parser = new MarkdownIt({ html: true });
    const blocks = (md: string): readonly string[] => parser.parse(md, {}).map(({ type }) => type);
    fc.assert(
      fc.property(documentTexts, ([texts, of]) => {
        const md = render(withTexts(texts, of), 'md');
        expect(blocks(md)).toEqual(blocks(render(withTexts(['x'], of), 'md')));
        const inline = parser.parse(md, {}).flatMap(({ children }) => (children ?? []).map(({ type }) => type));
        expect(
          inline.filter(
            (type) => !['text', 'strong_open', 'strong_close', 'code_inline', 'text_special'].includes(type),
          ),
        ).toEqual([]);
        expect(md.replace(FENCES, '')).not.toContain('<');
        expect(md).not.toMatch(UNSEEN);
      }),
      { numRuns: 300 },
    );
  });

  test('in JSON: the data is as it was, and nothing in its text is unseen', () => {
    fc.assert(
      fc.property(documentTexts, ([texts, of]) => {
        const document = withTexts([...texts, '\u{e0041}'], of);
        const json = render(document, 'json');
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(document)));
        expect(json).not.toMatch(UNSEEN);
      }),
      { numRuns: 300 },
    );
  });

  test('it can be read: what is unseen is shown as its code point', () => {
    const text = 'a<b>\u202e"|`*\u001b[0m';
    const md = new MarkdownIt().render(render(withTexts([text], 'run'), 'md'));
    const html = render(withTexts([text], 'run'), 'html');
    for (const shown of [md, html]) {
      const plain = shown
        .replace(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&');
      expect(plain).toContain('a<b>\\u202e"|`*\\x1b[0m');
    }
  });
});

describe('--public', () => {
  const NAMES = {
    hosts: ['websrv', 'db-1', 'db-12'],
    addresses: [
      { address: '10.1.2.3', of: 'websrv' },
      { address: 'db-1.corp.example', of: 'db-1' },
    ],
    users: ['kim'],
  };
  const mask = (text: string): string =>
    masked(
      sampleDocument(() => text),
      NAMES,
    ).title;

  test.each([
    ['db-1 and db-12, not db-123', 'host-2 and host-3, not db-123'],
    ['ssh kim@db-1.corp.example:22', 'ssh user-1@host-2:22'],
    ['/home/kim/DB-1.pem', '/home/user-1/host-2.pem'],
    ['10.1.2.3 10.9.9.9 10.1.2.3 127.0.0.1', 'address-1 address-2 address-1 127.0.0.1'],
    ['fe80::1%eth0 ::1 22:00:01', 'address-2%eth0 ::1 22:00:01'],
    ['https://repo.corp.example/x and https://repo.corp.example/y', 'https://host-4/x and https://host-4/y'],
    ['4.14.7-1 of root', '4.14.7-1 of root'],
  ])('%s', (text, shown) => expect(mask(text)).toBe(shown));

  test('no name is left in any place, whatever stands around it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('websrv', 'db-1', 'db-12', '10.1.2.3', 'kim', 'db-1.corp.example'),
        fc.constantFrom(...Array.from(' .,:;/@-_=()[]"\n')),
        (name, around) => {
          for (const format of ['md', 'html', 'json'] as const)
            expect(
              render(
                masked(
                  sampleDocument(() => `${around}${name}${around}`),
                  NAMES,
                ),
                format,
              ),
            ).not.toContain(name);
        },
      ),
    );
  });

  test('codes of the document stay, whatever hosts and users are called', () => {
    const names = {
      hosts: ['run', 'down', 'failed', 'summary', 'phase'],
      addresses: [],
      users: ['apply', 'operator', 'step', 'none', 'some'],
    };
    expect(
      render(
        masked(
          sampleDocument(() => 'x'),
          names,
        ),
        'md',
      ),
    ).toBe(
      render(
        sampleDocument(() => 'x'),
        'md',
      ),
    );
  });
});

const UNIT = 'web-unit';
const service1 = (host: string, active: string) =>
  change(`web ${active}`, { predicts: [{ ref: need({ host }, service, UNIT), value: { active } }] });
const stop = on('a', 'up/Work/Stop');
const start = on('a', 'up/Work/Start');
const atSecond = (events: readonly (readonly [second: number, event: Event])[]): readonly Recorded[] =>
  events.map(([second, event], i) => ({ seq: i + 1, atMs: second * 1000, event }));
const WEB = { name: 'web', unit: UNIT, title: 'Web page' };
const PLANNED: NonNullable<RunContext['planned']> = {
  document: { format: 'runbook-document', version: 1, of: 'plan', title: '', state: 'ready', sections: [] },
  ...{ steps: [], atMs: 0, components: [WEB] },
};
const CONTEXT: RunContext = { run: 'r', isRunning: false, ways: { where: '', backTo: [] }, planned: PLANNED };
const section = <I extends Section['is']>(document: Document, is: I): Extract<Section, { is: I }> =>
  document.sections.find((one) => one.is === is) as Extract<Section, { is: I }>;

describe('the downtime of a run', () => {
  const HEAD = [
    [0, started()],
    [0, { e: 'from', host: 'a', versions: { web: '1' } }],
    [10, play('up/Work', ['a'], { within: ['Webs'] })],
    [20, intent(stop, service1('a', 'inactive'))],
    [22, settled(stop, 'done')],
  ] as const;

  test('lasts from the action that stopped a service to the end of the step that started it', () => {
    const document = runDocument(
      atSecond([
        ...HEAD,
        [50, intent(start, service1('a', 'active'))],
        [65, settled(start, 'done')],
        [70, { e: 'play-ended', play: 'up/Work' }],
        [70, ended('done')],
      ]),
      CONTEXT,
    );
    expect(section(document, 'impact').services).toEqual([
      { title: 'Web page', is: 'down', hosts: ['a'], measuredMs: 45_000, staysDown: [] },
    ]);
    expect(section(document, 'timeline').rows.map(({ title, measured }) => [title, measured])).toEqual([
      ['Webs', [{ fromMs: 10_000, toMs: 70_000 }]],
      ['Web page', [{ fromMs: 20_000, toMs: 65_000 }]],
    ]);
  });

  test('is given to the second for each host, also where the platform has no note for it; spans that touch are one', () => {
    const again = [
      [65, intent(stop, service1('a', 'inactive'))],
      [80, settled(stop, 'done')],
      [81, intent(start, service1('a', 'active'))],
      [90, settled(start, 'done')],
      [100, intent(stop, service1('a', 'inactive'))],
      [101, settled(stop, 'done')],
      [120, ended('failed')],
    ] as const;
    const events = atSecond([
      ...HEAD,
      [50, intent(start, service1('a', 'active'))],
      [65, settled(start, 'done')],
      ...again,
    ]);
    const withNote = { ...CONTEXT, planned: { ...PLANNED, components: [{ ...WEB, note: 'orders wait' }] } };
    const { outages } = section(runDocument(events, withNote), 'outages');
    expect(outages.map(({ host, fromMs, toMs, isOpen }) => [host, fromMs / 1000, toMs / 1000, isOpen])).toEqual([
      ['a', 20, 90, false],
      ['a', 100, 120, true],
    ]);
    expect(render(runDocument(events, withNote), 'md')).toContain(
      '| **Web page** | a | 1970-01-01 00:01:40 UTC | **DOWN** at 1970-01-01 00:02:00 UTC | at least 20 s | orders wait |',
    );
    expect(section(runDocument(events, CONTEXT), 'outages').outages).toHaveLength(2);
  });

  test('has no end where the start failed, and goes on over a resume', () => {
    const failed = [
      ...HEAD,
      [50, intent(start, service1('a', 'active'))],
      [65, settled(start, 'failed')],
      [66, ended('failed')],
    ] as const;
    const first = section(runDocument(atSecond(failed), CONTEXT), 'impact').services;
    expect(first).toEqual([expect.objectContaining({ measuredMs: 46_000, staysDown: ['a'] })]);
    const resumed = atSecond([
      ...failed,
      [1000, started({ verb: 'resume' })],
      [1001, play('up/Work', ['a'], { within: ['Webs'] })],
      [1002, intent(start, service1('a', 'active'))],
      [1005, settled(start, 'done')],
      [1006, ended('done')],
    ]);
    const document = runDocument(resumed, CONTEXT);
    expect(section(document, 'impact').services).toEqual([
      expect.objectContaining({ measuredMs: 985_000, staysDown: [] }),
    ]);
    expect(section(document, 'timeline').rows[0]?.measured).toEqual([
      { fromMs: 10_000, toMs: 66_000 },
      { fromMs: 1_001_000, toMs: 1_006_000 },
    ]);
    expect(section(document, 'origin').sessions.map(({ verb }) => verb)).toEqual(['apply', 'resume']);
  });

  test('a run whose controller ended is interrupted; one whose process lives is running', () => {
    const stateOf = (isRunning: boolean): string => runDocument(atSecond(HEAD), { ...CONTEXT, isRunning }).state;
    expect([stateOf(false), stateOf(true)]).toEqual(['cut', 'running']);
  });
});

test('a damaged journal does not say that no service was stopped', () => {
  const textOf = (more: Partial<RunContext>) => render(runDocument(record([started()]), { ...CONTEXT, ...more }), 'md');
  expect(textOf({})).toContain('\nThe run stopped no service.\n');
  expect(textOf({ damage: 'journal.ndjson:3: the journal is damaged' })).toContain(
    '\nThe run stopped no service before the damage in its journal; what it did after it is not known.\n',
  );
});

test('a run that did not begin has no times; a question has its answer', () => {
  expect(render(runDocument([], CONTEXT), 'md')).toMatch(/^# Report: r · NOT STARTED\n(?![^]*1970)/);
  const ask = on('a', 'up/Work/Ask');
  const asked = record([
    started(),
    play('up/Work', ['a']),
    { e: 'answered', task: ask, question: 'Go on?', answer: 'yes' },
    settled(ask, 'done', { spec: '9.1' }),
    ended('done'),
  ]);
  expect(render(runDocument(asked, CONTEXT), 'md')).toContain('| Go on? | a | §9.1 | yes |');
});

test('the axis has round times, and the picture of a run of a second or of a week has one', () => {
  const rows = [{ kind: 'phase' as const, title: 'x', hosts: [], estimate: [{ fromMs: 0, toMs: 1 }], measured: [] }];
  for (const estimateMs of [1, 1000, 2_220_000, 7 * 86_400_000]) {
    const { ticks } = axisOf({ is: 'timeline', estimateMs, rows, marks: [] });
    expect(ticks.length).toBeGreaterThan(3);
    expect(ticks.length).toBeLessThan(12);
    expect(pictureOf({ is: 'timeline', estimateMs, rows, marks: [] }, 'x').html).not.toMatch(/NaN|Infinity/);
  }
  expect(axisOf({ is: 'timeline', estimateMs: 2_220_000, rows, marks: [] }).ticks[1]).toBe(300_000);
});
