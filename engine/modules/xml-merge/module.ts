import { content, type FileContent } from '../../facts/file.js';
import { blocked } from '../../terms/change.js';
import { need } from '../../terms/fact.js';
import { defineModule } from '../../terms/module.js';
import { asIn, settleText, textNeeds, textTouches, whyNoText } from '../shared/text-file.js';
import { isList, type XmlContent } from './layout.js';
import { mergeXml } from './merge.js';
import type { Args } from './schema.js';

export const xmlMerge = defineModule<Args>()({
  name: 'xml-merge',
  needs: ({ path, set = [] }, { task }) => ({
    ...textNeeds(task.on, path),
    ...Object.fromEntries(
      set.flatMap(({ as_in: other }) => (other === undefined ? [] : [[other, need(task.on, content, other)]])),
    ),
  }),
  touches: ({ path }, { task }) => textTouches(task.on, path),
  decide(args, now, at) {
    const { path, root, set = [], remove = [] } = args;
    const unfit = whyNoText(path, now);
    if (unfit !== undefined) return unfit;
    if (now.text === null) return blocked(`there is no file ${path}`, 'is the package installed?');
    const both = set.find((item) => remove.includes(item.element));
    if (both !== undefined) return blocked(`<${both.element}> is both to be set and to be removed`);
    const { text, encoding } = now.text;
    const others = now as unknown as Readonly<Record<string, FileContent>>;
    const missing = set.find(({ as_in: other }) => other !== undefined && others[other] == null)?.as_in;
    if (missing !== undefined) return blocked(`there is no file ${missing}, whose elements ${path} is to have`);
    const wanted = {
      set: set.map((item) => ({
        ...item,
        ...(item.children === undefined
          ? {}
          : { children: inEncoding(item.children, (t) => asIn(encoding, t)) as typeof item.children }),
        ...(item.as_in === undefined ? {} : { other: others[item.as_in]?.text ?? '' }),
      })),
      remove,
    };
    const merged = mergeXml(text, root, wanted);
    if (merged.is === 'wrong') return blocked(`${path}: ${merged.reason}`, merged.hint);
    const again = mergeXml(merged.text, root, wanted);
    if (again.is === 'wrong' || again.text !== merged.text)
      return blocked(
        `${path} cannot be merged: a second merge would alter it again`,
        'an element that `set` names twice?',
      );
    const summary = `${path}: ${merged.notes.join('; ')}`;
    return settleText(
      { path, now, text: merged.text, encoding, ownership: args, summary, because: `${path} holds what it should` },
      at,
    );
  },
});

const inEncoding = (content: XmlContent, as: (text: string) => string): XmlContent =>
  typeof content === 'string'
    ? as(content)
    : isList(content)
      ? content.map(as)
      : Object.fromEntries(Object.entries(content).map(([name, value]) => [name, inEncoding(value, as)]));
