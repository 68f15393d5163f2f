/**
 * Splits text into words as a POSIX shell does, without expanding anything: quotes, backslashes, and comments from an unquoted `#` on. Undefined
 * when a quotation is not closed.
 */
export function shellWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i] ?? '';
    if (char === '#') break;
    if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'" || char === '"') {
      const quoted = quotation(text, i);
      if (quoted === undefined) return undefined;
      word = (word ?? '') + quoted.text;
      i = quoted.end;
    } else if (char === '\\') {
      if (i + 1 === text.length) return undefined;
      i += 1;
      word = (word ?? '') + (text[i] ?? '');
    } else word = (word ?? '') + char;
  }
  return word === undefined ? words : [...words, word];
}

/** Between double quotes a backslash escapes only a double quote or a backslash. */
function quotation(text: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const quote = text[start];
  let content = '';
  for (let i = start + 1; i < text.length; i += 1) {
    if (text[i] === quote) return { text: content, end: i };
    if (quote === '"' && text[i] === '\\' && /["\\]/.test(text[i + 1] ?? '')) i += 1;
    content += text[i] ?? '';
  }
  return undefined;
}
