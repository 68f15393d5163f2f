/** A syntax error of the library in words that say what to do, with its place. */
export interface SyntaxText {
  readonly code: 'syntax' | 'limit';
  readonly reason: string;
  readonly start: number;
  readonly end: number;
  readonly hint?: string;
}

interface Failure {
  readonly summary?: string;
  readonly message?: string;
  readonly range?: { readonly start: number; readonly end: number };
  readonly node?: { readonly pos?: number };
}

export function syntaxText(error: unknown, text: string): SyntaxText {
  const { summary, message, range, node } = error as Failure;
  const start = Math.min(range?.start ?? node?.pos ?? 0, text.length);
  const end = Math.max(range?.end ?? start + 1, start + 1);
  const said = (summary ?? message ?? String(error)).split('\n')[0] ?? '';
  const depth = /^exceeded maxDepth \((\d+)\)/i.exec(said)?.[1];
  if (depth !== undefined)
    return { code: 'limit', reason: `the expression is nested more than ${depth} levels deep`, start, end };
  return { code: 'syntax', reason: inWords(said, text, { start, end }), start, end, ...hintOn(text, start) };
}

const SIGNS: Readonly<Record<string, string>> = { RPAREN: ')', RBRACKET: ']', RBRACE: '}', COLON: ':', COMMA: ',' };

function inWords(said: string, text: string, { start, end }: { start: number; end: number }): string {
  if (said === 'Unterminated string') return 'the quote at the end of this text is missing';
  if (text.slice(0, end).includes('{{')) return 'a template cannot stand in an expression';
  const missing = SIGNS[/^Expected (\w+), got/.exec(said)?.[1] ?? ''];
  const rest = text.slice(start);
  const atEnd = rest.trim() === '';
  if (missing !== undefined) return atEnd ? `"${missing}" is missing at the end` : `"${missing}" is missing here`;
  if (/^Expected IDENTIFIER/.test(said)) return 'a name is missing after the dot';
  if (atEnd) return 'the expression ends where a value is missing';
  if (!/^Unexpected (character|token)/.test(said)) return said.charAt(0).toLowerCase() + said.slice(1);
  const word = /^\w+/.exec(rest)?.[0] ?? text.slice(start, end).trim();
  return `unexpected ${JSON.stringify(word)}`;
}

const QUOTED = 'quote the whole expression if it holds " #" or ": "';

/** What people write who know other languages, or forget about YAML; by what stands there. */
const HABITS: readonly (readonly [RegExp, string])[] = [
  [/^$/, QUOTED],
  [/^[{}]/, 'write the name without {{ }}'],
  [/^\$\{?/, 'write the name without ${ }'],
  [/^and\b/i, 'write &&'],
  [/^or\b/i, 'write ||'],
  [/^&/, 'write &&'],
  [/^\|/, 'write ||'],
  [/^=/, 'write =='],
  [/^(is|eq)\b/i, 'write =='],
];

function hintOn(text: string, start: number): { readonly hint?: string } {
  const [before, rest] = [text.slice(0, start), text.slice(start).trimStart()];
  if (/\bnot\s+$/i.test(before)) return { hint: 'write not(…) or !(…)' };
  if (/<$/.test(before) && rest.startsWith('>')) return { hint: 'write !=' };
  const hint = HABITS.find(([form]) => form.test(rest))?.[1];
  if (hint !== undefined) return { hint };
  return /[\w)\]"']\s+$/.test(before) && /^[\w("'!]/.test(rest) ? { hint: '&& or || is missing before it' } : {};
}
