import { XMLParser } from 'fast-xml-parser';
import { lineAt } from './lines.js';

/** An element and where it stands: `start` its `<`, `openEnd` after its opening tag, `closeStart` its `</`, `end` after its last `>`. */
export interface XmlElement {
  readonly name: string;
  readonly start: number;
  readonly openEnd: number;
  readonly closeStart: number;
  readonly end: number;
  readonly children: readonly XmlElement[];
  /** Stretches of text that are not blank, without the white space around; of CDATA its inside. */
  readonly texts: readonly { readonly start: number; readonly end: number }[];
}

export type XmlRead =
  | { readonly is: 'roots'; readonly roots: readonly XmlElement[] }
  | { readonly is: 'wrong'; readonly reason: string; readonly line?: number };

const parser = (): XMLParser =>
  new XMLParser({
    preserveOrder: true,
    captureMetaData: true,
    ignoreAttributes: false,
    allowBooleanAttributes: true,
    processEntities: false,
    parseTagValue: false,
    trimValues: false,
    commentPropName: '#comment',
    cdataPropName: '#cdata',
  });

interface Meta {
  readonly startIndex?: number;
  readonly endIndex?: number;
}
type Node = Readonly<Record<string | symbol, unknown>>;

class Unfit extends Error {
  constructor(
    readonly reason: string,
    readonly line?: number,
  ) {
    super(reason);
  }
}

/** What was read last, by its text: many facts and steps ask for different elements of one configuration. */
const readBefore = new Map<string, XmlRead>();
const KEPT = 16;

/**
 * Reads XML as loosely as the platform's own programs do: several roots, `--` in comments, bare `&`, `\<` in a value. The parser reports where
 * elements start and end; that each ends with its own name, and that nothing between them is left over, is checked here, for the
 * parser forgives both.
 */
export function readXml(written: string): XmlRead {
  const before = readBefore.get(written);
  if (before !== undefined) return before;
  const read = parsed(written);
  readBefore.set(written, read);
  const [oldest] = readBefore.keys();
  if (readBefore.size > KEPT && oldest !== undefined) readBefore.delete(oldest);
  return read;
}

function parsed(written: string): XmlRead {
  // A `<` after a backslash is text to the platform's programs; another character in its place leaves every position as it is.
  const text = written.replaceAll('\\<', '\\_');
  try {
    const nodes = parser().parse(text) as readonly Node[];
    const roots = elementsOf(nodes, text);
    const outside = textsBetween(text, 0, text.length, roots);
    const [stray] = outside;
    if (stray !== undefined) throw new Unfit('text stands outside of every element', lineAt(text, stray.start));
    return { is: 'roots', roots };
  } catch (e) {
    if (e instanceof Unfit) return { is: 'wrong', reason: e.reason, ...(e.line === undefined ? {} : { line: e.line }) };
    // The parser's own words may quote the file, and the file may hold secrets.
    const said = e instanceof Error ? (e.message.split(/[:"]/)[0] ?? '') : '';
    return { is: 'wrong', reason: said.trim() === '' ? 'the parser gives up' : said.trim() };
  }
}

const meta = (node: Node): Meta | undefined =>
  node[XMLParser.getMetaDataSymbol() as unknown as symbol] as Meta | undefined;

const elementsOf = (nodes: readonly Node[], text: string): readonly XmlElement[] =>
  nodes.flatMap((node) => {
    const [key, inside] = Object.entries(node).find(([k]) => k !== ':@') ?? [];
    const start = meta(node)?.startIndex;
    if (key === undefined || start === undefined || key.startsWith('?') || !Array.isArray(inside)) return [];
    return [elementAt(start, meta(node)?.endIndex, inside as readonly Node[], text)];
  });

function elementAt(start: number, end: number | undefined, inside: readonly Node[], text: string): XmlElement {
  const name = /^<([^\s/<>!?]+)/.exec(text.slice(start, start + 256))?.[1];
  if (name === undefined) throw new Unfit('a "<" that begins no element', lineAt(text, start));
  // Children first: where one closing tag is missing, the innermost element is the one to report.
  const children = elementsOf(inside, text);
  if (end === undefined) throw new Unfit(`<${name}> is never closed`, lineAt(text, start));
  const openEnd = endOfTag(text, start);
  if (openEnd === end && text.startsWith('/>', end - 2))
    return { name, start, openEnd, closeStart: end, end, children: [], texts: [] };
  const closeStart = text.lastIndexOf('</', end - 1);
  const closes = text.slice(closeStart + 2, end - 1).trimEnd();
  if (closeStart < openEnd || closes !== name)
    throw new Unfit(
      `<${name}> is closed by </${closes.slice(0, 40)}> in line ${lineAt(text, closeStart)}`,
      lineAt(text, start),
    );
  return { name, start, openEnd, closeStart, end, children, texts: textsBetween(text, openEnd, closeStart, children) };
}

/** The position after the `>` of the tag that starts here; a `>` in a quoted value is none. */
function endOfTag(text: string, start: number): number {
  let quote = '';
  for (let i = start; i < text.length; i += 1) {
    const c = text.charAt(i);
    if (quote !== '') quote = c === quote ? '' : quote;
    else if (c === '"' || c === "'") quote = c;
    else if (c === '>') return i + 1;
  }
  return text.length;
}

const notText = /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<!DOCTYPE[^>[]*(?:\[[\s\S]*?\]\s*)?>/g;

/** Text between elements that is neither blank nor a comment. */
function textsBetween(
  text: string,
  from: number,
  to: number,
  elements: readonly XmlElement[],
): readonly { start: number; end: number }[] {
  const edges = [from, ...elements.flatMap((e) => [e.start, e.end]), to];
  const found: { start: number; end: number }[] = [];
  const add = (start: number, end: number, literal: boolean): void => {
    const piece = text.slice(start, end);
    if (!literal && piece.includes('<'))
      throw new Unfit('a closing tag or a "<" that belongs to no element', lineAt(text, start + piece.indexOf('<')));
    if (piece.trim() === '' || piece.trim() === '\uFEFF') return;
    found.push({ start: start + piece.search(/\S/), end: start + piece.trimEnd().length });
  };
  for (let i = 0; i + 1 < edges.length; i += 2) {
    const [start, end] = [edges[i] ?? to, edges[i + 1] ?? to];
    let at = start;
    for (const m of text.slice(start, end).matchAll(notText)) {
      add(at, start + m.index, false);
      at = start + m.index + m[0].length;
      if (m[1] !== undefined) add(start + m.index + '<![CDATA['.length, at - ']]>'.length, true);
    }
    add(at, end, false);
  }
  return found;
}
