// `node tests/tools/words.js`: finds the words that docs/glossary.md retired, in what people read. Exit 1 when there is one.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const { folders, words, exceptions } = parse(readFileSync('tests/tools/retired-words.yaml', 'utf8'));
const excepted = new Set(exceptions.map(({ file }) => file));

const filesIn = (at) =>
  statSync(at).isDirectory() ? readdirSync(at).flatMap((name) => filesIn(path.join(at, name))) : [at];

let found = 0;
for (const file of folders.flatMap(filesIn)) {
  if (excepted.has(file) || !/\.(md|json|ya?ml|ts|js)$/.test(file)) continue;
  for (const [i, line] of readFileSync(file, 'utf8').split('\n').entries())
    for (const { not, use } of words) {
      const [word] = new RegExp(`\\b(?:${not})\\b`, 'i').exec(line) ?? [];
      if (word === undefined) continue;
      found += 1;
      console.log(`${file}:${i + 1}: "${word}": write ${use}`);
    }
}
console.log(`words: ${found} retired words`);
process.exit(found === 0 ? 0 : 1);
