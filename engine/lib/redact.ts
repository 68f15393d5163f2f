/** Below this many characters of base64 a match would be chance. */
const leastBase64 = 4;

const strictUrl = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const lowerHex = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (m) => m.toLowerCase());
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const ascii = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
const inXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * The characters of base64 that stand for this value wherever it begins in the encoded bytes: `user:password` is encoded as one, so
 * the value may start at each of three places; characters that it shares with its neighbours are left out.
 */
function base64Cores(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8');
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const core = encoded.slice([0, 2, 3][offset], Math.floor(((offset + bytes.length) * 8) / 6));
    return core.length < leastBase64 ? [] : [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Every way in which a value is written in plain characters: itself, in a URL, a form, JSON (twice too), XML, shell quotes. */
function writtenForms(value: string): readonly string[] {
  const urls = [encodeURIComponent(value), strictUrl(value)];
  const json = inJson(value);
  const long = value.split(/\r?\n/).map((line) => line.trim());
  return [
    value,
    ...urls.flatMap((u) => [u, lowerHex(u), u.replaceAll('%20', '+')]),
    ...[json, json.replaceAll('/', String.raw`\/`), ascii(json), inJson(json)],
    ...[inXml(value), inXml(value).replaceAll('"', '&quot;').replaceAll("'", '&#39;')],
    value.replaceAll("'", String.raw`'\''`),
    // A key of several lines can come back line by line.
    ...(long.length > 1 ? long.filter((line) => line.length >= 12) : []),
  ];
}

interface Form {
  readonly text: string;
  readonly name: string;
  readonly base64: boolean;
}
interface Span {
  readonly from: number;
  readonly to: number;
  readonly names: readonly string[];
}

function formsOf(values: ReadonlyMap<string, string>): readonly Form[] {
  const forms = new Map<string, Form>();
  const add = (text: string, name: string, base64: boolean): void => {
    if (text !== '' && !forms.has(text)) forms.set(text, { text, name, base64 });
  };
  for (const [name, value] of values) if (value !== '') for (const text of writtenForms(value)) add(text, name, false);
  for (const [name, value] of values) if (value !== '') for (const text of base64Cores(value)) add(text, name, true);
  return [...forms.values()];
}

const isBase64 = (c: string | undefined): boolean => c !== undefined && /[A-Za-z0-9+/_-]/.test(c);

/** A base64 word goes as a whole: the characters beside the core hold bits of the value. */
function widen(text: string, span: Span): Span {
  let { from, to } = span;
  while (isBase64(text[from - 1])) from -= 1;
  while (isBase64(text[to])) to += 1;
  while (text[to] === '=') to += 1;
  return { ...span, from, to };
}

function spansOf(text: string, forms: readonly Form[]): readonly Span[] {
  const spans: Span[] = [];
  for (const form of forms) {
    let at = text.indexOf(form.text);
    while (at >= 0) {
      const span = { from: at, to: at + form.text.length, names: [form.name] };
      const wide = form.base64 ? widen(text, span) : span;
      spans.push(wide);
      // One character on, not past it: occurrences of a value may overlap each other.
      at = text.indexOf(form.text, form.base64 ? wide.to : at + 1);
    }
  }
  return spans.sort((a, b) => a.from - b.from || b.to - a.to);
}

/** Overlapping values become one span: a remainder would give half of one away. */
function merge(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last === undefined || span.from >= last.to) merged.push(span);
    else
      merged[merged.length - 1] = {
        ...last,
        to: Math.max(last.to, span.to),
        names: [...new Set([...last.names, ...span.names])],
      };
  }
  return merged;
}

/**
 * Gives a function that replaces each value (by name), also in its base64, Basic, URL, JSON, XML and shell forms, by
 * `{{secret.NAME}}`. Short values match by chance, so whoever loads secrets refuses those under 4 characters.
 */
export function createRedactor(values: ReadonlyMap<string, string>): (text: string) => string {
  const forms = formsOf(values);
  if (forms.length === 0) return (text) => text;
  return (text) => {
    const spans = merge(spansOf(text, forms));
    if (spans.length === 0) return text;
    let [shown, at] = ['', 0];
    for (const span of spans) {
      shown += text.slice(at, span.from) + span.names.map((name) => `{{secret.${name}}}`).join('');
      at = span.to;
    }
    return shown + text.slice(at);
  };
}
