import { content, type FileContent } from '../../facts/file.js';
import { blocked } from '../../terms/change.js';
import { need } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import { defineModule } from '../../terms/module.js';
import { mapTexts } from '../../terms/secret.js';
import { secretNeeds, secretValues, whyNotWritten } from '../shared/secret-values.js';
import { asIn, settleText, textNeeds, textTouches, whyNoText } from '../shared/text-file.js';
import type { XmlChildren } from './layout.js';
import { mergeXml } from './merge.js';
import type { Args } from './schema.js';

export const xmlMerge = defineModule<Args>()({
  name: 'xml-merge',
  needs: ({ path, set = [] }, { task }) => ({
    ...secretNeeds(task.on, set),
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
    const secrets = secretValues(set, now);
    const unwritten = whyNotWritten(secrets, 'XML');
    if (unwritten !== undefined) return unwritten;
    const met = (children: Json) => mapTexts(children, (t) => asIn(encoding, secrets.text(t))) as XmlChildren;
    const wanted = {
      set: set.map(({ children, ...item }) => ({
        ...item,
        ...(children === undefined ? {} : { children: met(children) }),
        ...(item.as_in === undefined ? {} : { other: others[item.as_in]?.text ?? '' }),
      })),
      remove,
    };
    const merged = mergeXml(text, root, wanted);
    if (merged.is === 'wrong') return blocked(secrets.hide(`${path}: ${merged.reason}`), merged.hint);
    const again = mergeXml(merged.text, root, wanted);
    if (again.is === 'wrong' || again.text !== merged.text)
      return blocked(
        `${path} cannot be merged: a second merge would alter it again`,
        'an element that `set` names twice?',
      );
    const summary = `${path}: ${merged.notes.join('; ')}`;
    const because = `${path} holds what it should`;
    return settleText({ path, now, text: merged.text, encoding, ownership: args, summary, because, secrets }, at);
  },
});
