import type { Block, ChangeRow, Part, Text } from './blocks.js';
import { markup, NOTHING, type Html } from './html-text.js';
import { pictureOf } from './picture.js';
import { visibleLine } from './visible.js';

export function blockHtml(block: Block): Html {
  switch (block.is) {
    case 'heading':
      return markup`<h3 id="${block.id}">${visibleLine(block.text)}</h3>\n`;
    case 'paragraph':
      return markup`<p>${textHtml(block.text)}</p>\n`;
    case 'facts':
      return markup`<dl>\n${block.rows.map(([label, value]) => markup`<div><dt>${label}</dt><dd>${textHtml(value)}</dd></div>\n`)}</dl>\n`;
    case 'list':
      return markup`<ul class="told">\n${block.items.map((item) => markup`<li>${textHtml(item)}</li>\n`)}</ul>\n`;
    case 'table': {
      const rows = block.rows.map((row) => markup`<tr>${row.map((cell) => markup`<td>${textHtml(cell)}</td>`)}</tr>\n`);
      return table(block.label, block.isForm === true ? 'data form' : 'data', block.head, rows);
    }
    case 'changes':
      return table(block.label, 'changes', ['Change', 'Step', 'Hosts'], block.rows.map(changeHtml));
    case 'picture':
      return pictureOf(block.timeline, block.label);
    case 'folded':
      return markup`<details>\n<summary>${visibleLine(block.title)}</summary>\n${block.blocks.map(blockHtml)}</details>\n`;
  }
}

const table = (label: string, kind: string, head: readonly string[], rows: readonly Html[]): Html =>
  markup`<table class="${kind}" aria-label="${visibleLine(label)}">
<thead><tr>${head.map((title) => markup`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table>
`;

function changeHtml({ sign, tone, what, notes, step, section, hosts, diff }: ChangeRow): Html {
  const below = notes.map((note) => markup`<br><span class="note">${textHtml(note)}</span>`);
  const change = markup`<span class="sign ${tone}">${sign}</span> ${textHtml(what)}${below}${diff === undefined ? NOTHING : diffHtml(diff)}`;
  const where = section === '' ? NOTHING : markup` <span class="section">${visibleLine(section)}</span>`;
  return markup`<tr><td>${change}</td><td>${visibleLine(step)}${where}</td><td>${textHtml(hosts)}</td></tr>\n`;
}

const diffHtml = (lines: readonly string[]): Html =>
  markup`<details class="diff"><summary>Diff, ${lines.length} lines</summary><pre>${lines.map(lineHtml)}</pre></details>`;

function lineHtml(line: string): Html {
  const text = `${line}\n`;
  if (line.startsWith('+')) return markup`<ins>${text}</ins>`;
  return line.startsWith('-') ? markup`<del>${text}</del>` : markup`${text}`;
}

export const textHtml = (text: Text): Html => markup`${text.map(partHtml)}`;

export function partHtml(part: Part): Html {
  if (typeof part === 'string') return markup`${visibleLine(part)}`;
  if ('name' in part) return markup`<span class="name">${visibleLine(part.name)}</span>`;
  if ('strong' in part) return markup`<strong>${visibleLine(part.strong)}</strong>`;
  if ('code' in part) return markup`<code>${visibleLine(part.code)}</code>`;
  if ('link' in part) return markup`<a href="#${part.to}">${visibleLine(part.link)}</a>`;
  return markup`<span class="state ${part.tone}">${visibleLine(part.state)}</span>`;
}
