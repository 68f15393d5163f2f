import { readXml, type XmlElement } from './xml-tree.js';

export type ElementTexts =
  { readonly is: 'texts'; readonly texts: readonly string[] } | { readonly is: 'wrong'; readonly reason: string };

/** The texts of the elements at a path such as `root/server[last()]/hosts/host`, in the order of the file. */
export function elementTexts(text: string, path: string): ElementTexts {
  const read = readXml(text);
  if (read.is === 'wrong')
    return { is: 'wrong', reason: `${read.line === undefined ? '' : `line ${read.line}: `}${read.reason}` };
  const found = path
    .split('/')
    .reduce<readonly XmlElement[]>(
      (elements, step, depth) => named(depth === 0 ? elements : elements.flatMap((e) => e.children), step),
      read.roots,
    );
  return { is: 'texts', texts: found.map((e) => e.texts.map((t) => text.slice(t.start, t.end)).join(' ')) };
}

function named(elements: readonly XmlElement[], step: string): readonly XmlElement[] {
  const [, name = step, place] = /^(.*)\[(last\(\)|position\(\)<last\(\))\]$/.exec(step) ?? [];
  const found = elements.filter((e) => e.name === name);
  return place === undefined ? found : place === 'last()' ? found.slice(-1) : found.slice(0, -1);
}
