import type { SecretRef, Text } from '../../terms/secret.js';

/** `{{secret.NAME}}` in a text as a reference; a mix where other text stands beside it. Undefined when it holds any other template. */
export function secretText(written: string): Text | undefined {
  const parts: (string | SecretRef)[] = [];
  let from = 0;
  for (const found of written.matchAll(/\{\{\s*secret\.([A-Za-z_][\w-]*)\s*\}\}/g)) {
    if (found.index > from) parts.push(written.slice(from, found.index));
    parts.push({ $secret: found[1] ?? '' });
    from = found.index + found[0].length;
  }
  if (from < written.length) parts.push(written.slice(from));
  if (parts.some((part) => typeof part === 'string' && part.includes('{{'))) return undefined;
  const [only = ''] = parts;
  return parts.length <= 1 ? only : { $text: parts };
}
