import { lineAt, lineList, splice, type Splice } from '../shared/lines.js';
import {
  childIndent,
  cutOut,
  insertInto,
  isList,
  layoutOf,
  renderElement,
  type Layout,
  type XmlChildren,
  type XmlContent,
} from './layout.js';
import { readXml, type XmlElement } from '../shared/xml-tree.js';
import type { Args } from './schema.js';

/** An element that a root must hold. */
export type WantedElement = Omit<NonNullable<Args['set']>[number], 'children'> & {
  readonly children?: XmlChildren;
  /** The text of the file `as_in`. */
  readonly other?: string;
};

export type Merged =
  | {
      readonly is: 'text';
      readonly text: string;
      /** What was done, for the operator. */ readonly notes: readonly string[];
    }
  | { readonly is: 'wrong'; readonly reason: string; readonly hint?: string };

class Conflict extends Error {
  constructor(
    readonly reason: string,
    readonly hint?: string,
  ) {
    super(reason);
  }
}

/**
 * Merges elements into the roots of a name and takes others out. Understood as XML, altered as text: every character outside of
 * what was wanted stays. A conflict leaves the text alone.
 */
export function mergeXml(
  text: string,
  root: string,
  wanted: { readonly set: readonly WantedElement[]; readonly remove: readonly string[] },
): Merged {
  try {
    const notes: string[] = [];
    let now = text;
    rootsOf(text, root); // a text that cannot be read is refused even if nothing is to be changed
    for (const name of wanted.remove) now = removeAll(now, root, name, notes);
    for (const item of wanted.set)
      now =
        item.children === undefined
          ? setAsIn(now, root, item, notes)
          : setElement(now, root, { ...item, children: plain(item.children) }, notes);
    return { is: 'text', text: now, notes };
  } catch (e) {
    if (e instanceof Conflict)
      return { is: 'wrong', reason: e.reason, ...(e.hint === undefined ? {} : { hint: e.hint }) };
    throw e;
  }
}

/** Each text of a list once, and without white space around; an empty one is no element. */
const plain = (children: XmlChildren): XmlChildren =>
  Object.fromEntries(
    Object.entries(children).map(([name, inside]): [string, XmlContent] => [
      name,
      typeof inside === 'string'
        ? inside.trim()
        : isList(inside)
          ? [...new Set(inside.map((t) => t.trim()).filter((t) => t !== ''))]
          : plain(inside),
    ]),
  );

function rootsOf(text: string, name: string): { readonly roots: readonly XmlElement[]; readonly layout: Layout } {
  const read = readXml(text);
  if (read.is === 'wrong')
    throw new Conflict(
      `it cannot be understood as XML${read.line === undefined ? '' : `, line ${read.line}`}: ${read.reason}`,
      'fix the file by hand; it was left as it is',
    );
  const roots = read.roots.filter((r) => r.name === name);
  const others = [...new Set(read.roots.map((r) => `<${r.name}>`))].join(', ');
  if (roots.length === 0)
    throw new Conflict(
      `it has no root <${name}>`,
      others === '' ? 'the file is empty' : `its roots are ${others}: is the name of the element right?`,
    );
  return { roots, layout: layoutOf(text, read.roots) };
}

function removeAll(text: string, root: string, name: string, notes: string[]): string {
  const found = elementsNamed(rootsOf(text, root).roots, name);
  if (found.length > 0) notes.push(`- <${name}>`);
  return splice(
    text,
    found.map((element) => cutOut(element, text)),
  );
}

const elementsNamed = (roots: readonly XmlElement[], name: string): readonly XmlElement[] =>
  roots.flatMap((r) => r.children.filter((c) => c.name === name));

/** Elements of a name become those of another text, in its order; those that are too many go from the end. */
function setAsIn(text: string, root: string, { element, other = '' }: WantedElement, notes: string[]): string {
  const { roots, layout } = rootsOf(text, root);
  const written = elementsNamed(rootsOf(other, root).roots, element).map((e) => other.slice(e.start, e.end));
  const found = elementsNamed(roots, element);
  const [home] = roots;
  const missing = written.slice(found.length);
  const splices = found.flatMap((e, i): readonly Splice[] => {
    const as = written[i];
    if (as === undefined) return [cutOut(e, text)];
    return as === text.slice(e.start, e.end) ? [] : [{ start: e.start, end: e.end, text: as }];
  });
  if (missing.length > 0 && home !== undefined) splices.push(insertInto(home, home.children.at(-1), missing, layout));
  if (splices.length > 0) notes.push(`<${element}> as it was`);
  return splice(text, splices);
}

type SetElement = WantedElement & { readonly children: XmlChildren };

function setElement(text: string, root: string, item: SetElement, notes: string[]): string {
  const { roots, layout } = rootsOf(text, root);
  const found = elementsNamed(roots, item.element);
  if (found.length > 1 && item.several !== 'last')
    throw new Conflict(
      `<${item.element}> stands ${found.length} times (${lineList(found.map((e) => lineAt(text, e.start)))}), and the last overrides what the others hold`,
      'merge them by hand into one; `several: last` takes the last',
    );
  const element = found.at(-1);
  const [home] = roots;
  if (element === undefined && home !== undefined) {
    notes.push(`+ <${item.element}>`);
    const neighbour = home.children.at(-1);
    const indent = childIndent(home, neighbour, layout);
    return splice(text, [
      insertInto(home, neighbour, [renderElement(item.element, checked(item.children), layout, indent)], layout),
    ]);
  }
  if (element === undefined) return text;
  const merge: Merge = { item, layout, notes: [], splices: [], cut: new Set() };
  mergeChildren(element, item.children, '', merge);
  if (merge.notes.length > 0) notes.push(`<${item.element}>: ${merge.notes.join(', ')}`);
  return splice(text, merge.splices);
}

interface Merge {
  readonly item: WantedElement;
  readonly layout: Layout;
  readonly notes: string[];
  readonly splices: Splice[];
  /** Elements that go: nothing can be put after them. */
  readonly cut: Set<XmlElement>;
}

/** Elements to write into a parent, after the last one of their name where it has any. */
interface Addition {
  readonly name: string;
  readonly inside: XmlContent;
}

function mergeChildren(parent: XmlElement, children: XmlChildren, path: string, merge: Merge): void {
  const { layout, notes, splices, cut } = merge;
  if (parent.children.length === 0 && parent.texts.length > 0)
    throw new Conflict(
      `<${parent.name}> in line ${lineAt(layout.text, parent.start)} holds text, and elements are wanted`,
    );
  const added = Object.entries(children).flatMap(([name, wanted]): readonly Addition[] => {
    const found = parent.children.filter((c) => c.name === name);
    const at = `${path}${name}`;
    if (isList(wanted)) return mergeList(found, { name, at, wanted }, merge).map((inside) => ({ name, inside }));
    if (found.length > 1)
      throw new Conflict(
        `<${name}> stands ${found.length} times in <${parent.name}> (${linesOfAll(found, merge)})`,
        'leave one of them',
      );
    const [only] = found;
    if (only === undefined) return (notes.push(`+ ${at}`), [{ name, inside: wanted }]);
    if (typeof wanted === 'string') setText(only, wanted, at, merge);
    else mergeChildren(only, wanted, `${at}/`, merge);
    return [];
  });
  const stay = parent.children.filter((c) => !cut.has(c));
  const byPlace = new Map<XmlElement | undefined, Addition[]>();
  for (const one of added) {
    const neighbour = stay.findLast((c) => c.name === one.name) ?? stay.at(-1);
    byPlace.set(neighbour, [...(byPlace.get(neighbour) ?? []), one]);
  }
  for (const [neighbour, here] of byPlace) {
    const indent = childIndent(parent, neighbour, layout);
    splices.push(
      insertInto(
        parent,
        neighbour,
        here.map(({ name, inside }) => renderElement(name, checked(inside), layout, indent)),
        layout,
      ),
    );
  }
}

const linesOfAll = (found: readonly XmlElement[], { layout }: Merge): string =>
  lineList(found.map((e) => lineAt(layout.text, e.start)));

interface WantedList {
  readonly name: string;
  readonly at: string;
  readonly wanted: readonly string[];
}

/** Alters and takes out what a list holds too much; gives what is to be added to it. */
function mergeList(found: readonly XmlElement[], { at, wanted }: WantedList, merge: Merge): readonly string[] {
  const { item, layout, notes, splices, cut } = merge;
  const held = new Set<string>();
  const surplus = found.filter((element) => {
    const value = wanted.find((w) => !held.has(w) && holds(element, w, layout.text));
    if (value !== undefined) held.add(value);
    return value === undefined;
  });
  const missing = wanted.filter((w) => !held.has(w));
  const onlyAdds = item.lists?.[at] === 'add_missing';
  if (item.only_missing === true && found.length > 0 && !onlyAdds) return [];
  const spare = onlyAdds ? [] : surplus;
  for (const [i, element] of spare.entries()) {
    const value = missing[i];
    if (value !== undefined) setText(element, value, at, merge, true);
    else {
      splices.push(cutOut(element, layout.text));
      cut.add(element);
    }
  }
  const added = missing.slice(spare.length);
  if (added.length > 0) notes.push(`+ ${added.length} ${at}`);
  if (spare.length > missing.length) notes.push(`- ${spare.length - missing.length} ${at}`);
  return added;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (all, name: string) => entities[name] ?? all);

const textOf = (element: XmlElement, text: string): string =>
  element.texts.map((t) => text.slice(t.start, t.end)).join(' ');
const holds = (element: XmlElement, value: string, text: string): boolean =>
  element.children.length === 0 && (textOf(element, text) === value || decoded(textOf(element, text)) === value);

function setText(element: XmlElement, value: string, at: string, merge: Merge, listed = false): void {
  const { item, layout, notes, splices } = merge;
  const { text } = layout;
  if (element.children.length > 0)
    throw new Conflict(`<${element.name}> in line ${lineAt(text, element.start)} holds elements, and a text is wanted`);
  if (holds(element, value, text) || (item.only_missing === true && !listed && element.texts.length > 0)) return;
  if (element.texts.length > 1)
    throw new Conflict(
      `<${element.name}> in line ${lineAt(text, element.start)} holds text in several pieces`,
      'write it in one piece',
    );
  notes.push(`${at} altered`);
  const [place] = element.texts;
  const written = checked(value);
  if (place !== undefined) splices.push({ ...place, text: written });
  else if (element.closeStart === element.end) {
    const slash = element.start + text.slice(element.start, element.end - 2).trimEnd().length;
    splices.push({ start: slash, end: element.end, text: `>${written}</${element.name}>` });
  } else splices.push({ start: element.openEnd, end: element.openEnd, text: written });
}

/** What is written is read by loose parsers, which know no entities: it must need none. A bare `&` is theirs. */
function checked<T extends XmlContent>(content: T): T {
  if (typeof content === 'string' && /[<>]/.test(content))
    throw new Conflict(`the text "${content}" cannot stand in an element`, 'it may hold no < and no >');
  if (typeof content !== 'string') Object.values(content).forEach((v: XmlContent) => checked(v));
  return content;
}
