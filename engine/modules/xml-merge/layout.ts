import { lineEndOf, type Splice } from '../shared/lines.js';
import type { XmlElement } from '../shared/xml-tree.js';

/** What an element holds: text, several elements of one name, or elements. */
export type XmlContent = string | readonly string[] | XmlChildren;
export interface XmlChildren {
  readonly [name: string]: XmlContent;
}

/** The layout of this file. */
export interface Layout {
  readonly text: string;
  readonly lineEnd: string;
  /** One step of indentation. */
  readonly unit: string;
}

/** The white space before an element that is the first on its line; undefined when something else is before it. */
const indentAt = (text: string, position: number): string | undefined =>
  /(?:^|\n)([ \t]*)$/.exec(text.slice(0, position))?.[1];
const lineIndent = (text: string, position: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', position - 1) + 1, position))?.[0] ?? '';

export function layoutOf(text: string, roots: readonly XmlElement[]): Layout {
  const units = roots.flatMap((root) => {
    const [own, child] = [
      indentAt(text, root.start),
      root.children.map((c) => indentAt(text, c.start)).find((i) => i !== undefined),
    ];
    return own !== undefined && child?.startsWith(own) === true && child.length > own.length
      ? [child.slice(own.length)]
      : [];
  });
  return { text, lineEnd: lineEndOf(text), unit: units[0] ?? '  ' };
}

/** An element as its lines would be written, the first without indentation. */
export function renderElement(name: string, inside: XmlContent, layout: Layout, indent: string): string {
  if (typeof inside === 'string') return `<${name}>${inside}</${name}>`;
  const children = isList(inside)
    ? inside.map((text) => [name, text] as const)
    : Object.entries(inside).flatMap(([n, v]) => (isList(v) ? v.map((t) => [n, t] as const) : [[n, v] as const]));
  if (isList(inside))
    return children.map(([n, v]) => renderElement(n, v, layout, indent)).join(layout.lineEnd + indent);
  const deeper = indent + layout.unit;
  return [
    `<${name}>`,
    ...children.map(([n, v]) => deeper + renderElement(n, v, layout, deeper)),
    `${indent}</${name}>`,
  ].join(layout.lineEnd);
}

export const isList = (v: XmlContent): v is readonly string[] => Array.isArray(v);

/** What new elements of a parent are indented by: as their neighbour is. */
export function childIndent(parent: XmlElement, neighbour: XmlElement | undefined, { text, unit }: Layout): string {
  const beside = neighbour === undefined ? undefined : indentAt(text, neighbour.start);
  const any = beside ?? parent.children.map((c) => indentAt(text, c.start)).find((i) => i !== undefined);
  return any ?? lineIndent(text, parent.start) + unit;
}

/**
 * Puts written elements into a parent: after `neighbour`, else after whatever it holds. The comment that ends the neighbour's
 * line stays with it, and a blank line parts them from the neighbour where one parts their neighbours.
 */
export function insertInto(
  parent: XmlElement,
  neighbour: XmlElement | undefined,
  written: readonly string[],
  layout: Layout,
): Splice {
  const { text, lineEnd } = layout;
  const indent = childIndent(parent, neighbour, layout);
  const own = lineIndent(text, parent.start);
  const gap = isSpaced(parent, neighbour, text) ? lineEnd : '';
  const lines = written.map((w) => gap + lineEnd + indent + w).join('');
  if (parent.closeStart === parent.end) {
    const slash = parent.start + text.slice(parent.start, parent.end - 2).trimEnd().length;
    return { start: slash, end: parent.end, text: `>${lines}${lineEnd}${own}</${parent.name}>` };
  }
  const at =
    neighbour !== undefined
      ? endOfLine(text, neighbour.end)
      : parent.openEnd +
        (parent.children.length > 0 ? 0 : text.slice(parent.openEnd, parent.closeStart).trimEnd().length);
  const rest = text.slice(at, parent.closeStart);
  // Where every child goes, the new ones come first; where there is none, after the comments.
  return { start: at, end: at, text: lines + (rest.trim() === '' && !rest.includes('\n') ? lineEnd + own : '') };
}

const endOfLine = (text: string, position: number): number =>
  position + (/^[ \t]*(?:<!--(?:(?!-->)[^\r\n])*-->[ \t]*)*(?=\r?\n)/.exec(text.slice(position))?.[0].length ?? 0);

function isSpaced(parent: XmlElement, neighbour: XmlElement | undefined, text: string): boolean {
  const before = neighbour === undefined ? undefined : parent.children[parent.children.indexOf(neighbour) - 1];
  return (
    before !== undefined &&
    neighbour !== undefined &&
    before.name !== neighbour.name &&
    /\n[ \t]*\r?\n/.test(text.slice(before.end, neighbour.start))
  );
}

/** Takes an element out, with its line when it has that for itself. */
export function cutOut(element: XmlElement, text: string): Splice {
  const indent = indentAt(text, element.start);
  const tail = /^[ \t]*\r?\n/.exec(text.slice(element.end))?.[0];
  if (indent === undefined || tail === undefined) return { start: element.start, end: element.end, text: '' };
  return { start: element.start - indent.length, end: element.end + tail.length, text: '' };
}
