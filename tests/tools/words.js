// `node tests/tools/words.js`: finds words that must not stand where they stand: those that docs/glossary.md retired, in what people
// read, and names of one platform's parts outside its folder. Exit 1 when there is one, or an exception of a word that is not needed any more.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const filesIn = (at) =>
  statSync(at).isDirectory() ? readdirSync(at).flatMap((name) => filesIn(path.join(at, name))) : [at];

/** An exception is for a file, a folder (`engine/platforms/`), or all files whose path ends so (`*.generated.js`). */
const isFor = (file, { file: of }) =>
  of.startsWith('*') ? file.endsWith(of.slice(1)) : of.endsWith('/') ? file.startsWith(of) : file === of;

function findIn(list) {
  const { folders, words, exceptions } = parse(readFileSync(list, 'utf8'));
  const patterns = words.map(({ not, use }) => ({ use, pattern: new RegExp(`(?<!\\w)(?:${not})(?!\\w)`, 'i') }));
  const used = new Set();
  const isExcepted = (file, word) => {
    const one = exceptions.find(
      (e) => isFor(file, e) && (e.words?.some((part) => word.toLowerCase().includes(part)) ?? true),
    );
    if (one !== undefined) used.add(one);
    return one !== undefined;
  };
  const files = folders.flatMap(filesIn).filter((file) => /\.(md|json|ya?ml|ts|js)$/.test(file));
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, i) => patterns.map(({ use, pattern }) => ({ i, use, word: pattern.exec(line)?.[0] })))
      .filter(({ word }) => word !== undefined && !isExcepted(file, word))
      .map(({ i, use, word }) => `${file}:${i + 1}: "${word}": write ${use}`),
  );
  const unused = exceptions
    .filter((e) => e.words && !used.has(e))
    .map((e) => `${list}: the exception of ${e.file} is not needed`);
  for (const line of [...found, ...unused]) console.log(line);
  return found.length + unused.length;
}

const retired = findIn('tests/tools/retired-words.yaml');
const ofPlatforms = findIn('tests/tools/platform-words.yaml');
console.log(`words: ${retired} retired, ${ofPlatforms} of a platform outside its folder`);
process.exit(retired + ofPlatforms === 0 ? 0 : 1);
