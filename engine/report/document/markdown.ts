import type { Block, ChangeRow, Page, Part, Text } from './blocks.js';
import { chartOf } from './chart.js';
import { visible, visibleLine } from './visible.js';

/** A document as Markdown (CommonMark with tables), for a ticket. */
export function markdownPage({ title, kind, state, lead, blocks }: Page): string {
  const parts = [
    `# ${escape(`${kind}: ${title}`)} · ${escape(state.state)}`,
    ...(lead.length === 0 ? [] : [text(lead)]),
    ...blocks.flatMap(blockText),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function blockText(block: Block): readonly string[] {
  switch (block.is) {
    case 'heading':
      return [`${'#'.repeat(block.level)} ${escape(block.text)}`];
    case 'paragraph':
      return [opening(text(block.text))];
    case 'facts':
      return [block.rows.map(([label, value]) => `- **${escape(label)}**: ${text(value)}`).join('\n')];
    case 'list':
      return [block.items.map((item) => `- ${opening(text(item))}`).join('\n')];
    case 'table':
      return [table(block.head, block.rows)];
    case 'changes':
      return changes(block.rows);
    case 'picture':
      return [fenced(chartOf(block.timeline))];
    case 'folded':
      return [`**${escape(block.title)}**`, ...block.blocks.flatMap(blockText)];
  }
}

/** A row for each; the diffs after the table, for a cell holds one line. */
function changes(rows: readonly ChangeRow[]): readonly string[] {
  const cells = rows.map(({ sign, what, notes, step, section, hosts }): readonly Text[] => [
    [sign],
    [...what, ...notes.flatMap((note): Text => ['; ', ...note])],
    [[step, section].filter((part) => part !== '').join(' ')],
    hosts,
  ]);
  const diffs = rows.flatMap(({ diff, step, hosts }) =>
    diff === undefined ? [] : [`Diff of ${escape(step)} on ${text(hosts)}:`, fenced(diff, 'diff')],
  );
  return [table(['', 'Change', 'Step', 'Hosts'], cells), ...diffs];
}

const table = (head: readonly string[], rows: readonly (readonly Text[])[]): string =>
  [head.map(escape), head.map(() => '---'), ...rows.map((row) => row.map(text))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

/** The fence is longer than any run of backticks in it, so that no line ends it. */
function fenced(lines: readonly string[], language = 'text'): string {
  const body = lines.map((line) => visible(line).replaceAll('\n', ' ⏎ '));
  const longest = Math.max(2, ...body.flatMap((line) => (line.match(/`+/g) ?? []).map((run) => run.length)));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}${language}`, ...body, fence].join('\n');
}

const text = (all: Text): string => all.map(part).join('').trim();

function part(one: Part): string {
  if (typeof one === 'string') return escape(one);
  if ('name' in one) return escape(one.name);
  if ('strong' in one) return bold(one.strong);
  if ('code' in one) return code(one.code);
  if ('link' in one) return `(${escape(one.link)})`;
  return bold(one.state);
}

/** Emphasis needs a character at each end; a text of nothing but blanks has none. */
function bold(words: string): string {
  const inner = escape(words).trim();
  return inner === '' ? '' : `**${inner}**`;
}

/** Backticks would end it; a text that has some is written plainly. */
const code = (words: string): string =>
  /[`|\\<&]/.test(words) || words.trim() === '' ? escape(words) : `\`${visibleLine(words)}\``;

/** What is Markdown anywhere in a line. */
const ANYWHERE = /[\\`*_[\]|~]/g;
/** What is Markdown at the beginning of a line: a heading, a quotation, a list. */
const AT_START = /^(\s*)(?:([#=+-])|(\d+)([.)]))/;

/** Text that means only itself: on one line, and no character of it is Markdown or HTML. */
const escape = (words: string): string =>
  visibleLine(words).replace(ANYWHERE, '\\$&').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The same for a text that begins a line or the item of a list. */
const opening = (escaped: string): string =>
  escaped.replace(AT_START, (_, blank: string, sign = '', digits = '', dot = '') => `${blank}${digits}\\${sign}${dot}`);
