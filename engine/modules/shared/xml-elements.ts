import { masked } from './mask.js';
import { readXml, type XmlElement } from './xml-tree.js';

export type ElementTexts =
  { readonly is: 'texts'; readonly texts: readonly string[] } | { readonly is: 'wrong'; readonly reason: string };

/** The texts of the elements at a path such as `root/server[last()]/hosts/host`, in the order of the file. */
export function elementTexts(text: string, path: string): ElementTexts {
  const found = elementsAt(text, path);
  return 'is' in found ? found : { is: 'texts', texts: found.map((e) => textIn(e, text)) };
}

/**
 * What of the elements at a path does not count for a program that takes the last of several elements of one name: the texts in and below
 * each that another one of its name follows, as `ssl/key: TEXT`. Elements of the names `repeated` may be several.
 */
export function overriddenTexts(text: string, path: string, repeated: readonly string[]): ElementTexts {
  const found = elementsAt(text, path);
  if ('is' in found) return found;
  const below = (elements: readonly XmlElement[], place: string, counts: boolean): readonly string[] =>
    elements.flatMap((element, i) => {
      const last = repeated.includes(element.name) || !elements.slice(i + 1).some((e) => e.name === element.name);
      const written = textIn(element, text);
      return [
        ...((counts && last) || written === '' ? [] : [masked(`${place}${element.name}: ${written}`)]),
        ...below(element.children, `${place}${element.name}/`, counts && last),
      ];
    });
  return {
    is: 'texts',
    texts: found.flatMap((element, i) => below(element.children, '', i === found.length - 1)),
  };
}

function elementsAt(text: string, path: string): readonly XmlElement[] | Extract<ElementTexts, { is: 'wrong' }> {
  const read = readXml(text);
  if (read.is === 'wrong')
    return { is: 'wrong', reason: `${read.line === undefined ? '' : `line ${read.line}: `}${read.reason}` };
  return path
    .split('/')
    .reduce<readonly XmlElement[]>(
      (elements, step, depth) => named(depth === 0 ? elements : elements.flatMap((e) => e.children), step),
      read.roots,
    );
}

const textIn = ({ texts }: XmlElement, text: string): string => texts.map((t) => text.slice(t.start, t.end)).join(' ');

function named(elements: readonly XmlElement[], step: string): readonly XmlElement[] {
  const name = step.replace(/\[last\(\)\]$/, '');
  const found = elements.filter((e) => e.name === name);
  return name === step ? found : found.slice(-1);
}
