import type { CollectionTag, ScalarTag } from 'yaml';
import { contentOf } from '../../engine/modules/shared/text-file.js';

/** `!content TEXT` is the fact `content` of a file with this text. */
const contentTag: ScalarTag = { tag: '!content', resolve: (text) => contentOf(Buffer.from(text, 'utf8')) };

/** `!latin1 TEXT` likewise, of a file whose bytes are these characters. */
const latinTag: ScalarTag = { tag: '!latin1', resolve: (text) => contentOf(Buffer.from(text, 'latin1')) };

const state = (text: string, rest: object = {}, encoding: 'utf8' | 'latin1' = 'utf8'): object => {
  const bytes = Buffer.from(text, encoding);
  return {
    exists: true,
    type: 'file',
    owner: 'root',
    group: 'root',
    mode: '0644',
    sizeBytes: bytes.length,
    sha256: contentOf(bytes).sha256,
    changedAtMs: 500,
    ...rest,
  };
};

/** `!file TEXT` is the fact `file` of it, root's and 0644; `!file { text: TEXT, mode: '0660' }` says more. */
const fileTag: ScalarTag = { tag: '!file', resolve: (text) => state(text) };
const latinFileTag: ScalarTag = { tag: '!latin1-file', resolve: (text) => state(text, {}, 'latin1') };
const fileWithTag: CollectionTag = {
  tag: '!file',
  collection: 'map',
  resolve: (map) => {
    const { text = '', ...rest } = map.toJSON() as { text?: string };
    return state(text, rest);
  },
};

/** What the tables of cases may write instead of hashes and sizes. */
export const factTags: (ScalarTag | CollectionTag)[] = [contentTag, latinTag, fileTag, latinFileTag, fileWithTag];
