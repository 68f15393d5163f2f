/** Escapes are nested (JSON in JSON in a shell word), each level adding backslashes; more than these no program writes. */
const backslashes = String.raw`\\{1,15}`;
const anyBackslashes = String.raw`\\{0,15}`;

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
/** Hexadecimal digits in either case. */
const hex = (digits: string): string =>
  digits.replace(/[a-f]/gi, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`);
const oneOf = (patterns: readonly string[]): string => `(?:${[...new Set(patterns)].join('|')})`;

const named: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** The bytes of a character as programs write them one by one: `%C3%B6`, `\xc3\xb6`, `\303\266`. */
function bytesWritten(bytes: Buffer): readonly string[] {
  const all = (one: (byte: number) => string): string => [...bytes].map(one).join('');
  const two = (byte: number): string => hex(byte.toString(16).padStart(2, '0'));
  return [
    all((byte) => `%(?:25){0,2}${two(byte)}`),
    all((byte) => `${backslashes}x${two(byte)}`),
    all((byte) => `${backslashes}0?${byte.toString(8).padStart(3, '0')}`),
  ];
}

/** One character in every way in which a program writes it. Longer forms first: an alternation takes the first that fits. */
function characterWritten(character: string, at: number): string {
  const code = character.codePointAt(0) ?? 0;
  const utf8 = Buffer.from(character, 'utf8');
  const units = character.split('').map((unit) => hex(unit.charCodeAt(0).toString(16).padStart(4, '0')));
  const entity = named[character];
  const escaped = [
    units.map((unit) => `${backslashes}u${unit}`).join(''),
    ...bytesWritten(utf8),
    ...(code > 0x7f && code <= 0xff ? bytesWritten(Buffer.from([code])) : []),
    `&(?:amp;){0,2}#0*${code};`,
    `&(?:amp;){0,2}#[xX]0*${hex(code.toString(16))};`,
    ...(entity === undefined ? [] : [`&(?:amp;){0,2}${entity};`]),
  ];
  return oneOf([...escaped, ...plainly(character, code, at === 0 ? '' : anyBackslashes), ...garbled(character, code)]);
}

/** The character itself; `before` are the backslashes that may stand before it. */
function plainly(character: string, code: number, before: string): readonly string[] {
  if (character === "'") return [String.raw`'\\{1,15}''`, `'"'"'`, `''`, `${before}'`];
  if (character === '"') return ['""', `${before}"`];
  if (character === ' ') return [String.raw`\+`, `${before} `];
  if (character === '\n') return [`${backslashes}n`, '\r?\n'];
  if (character === '\t') return [`${backslashes}t`, '\t'];
  return [code <= 0x7f ? `${before}${literal(character)}` : literal(character)];
}

const readAsLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** A character beyond ASCII as it reads when its bytes were decoded in another encoding, or decomposed. */
const garbled = (character: string, code: number): readonly string[] =>
  code <= 0x7f
    ? []
    : [literal(character.normalize('NFD')), literal(readAsLatin1(character)), ...(code <= 0xff ? ['\ufffd'] : [])];

/** A character of base64 in either alphabet, also within a URL or JSON; long words are wrapped. */
function base64Written(character: string): string {
  if (character === '+') return String.raw`(?:\+|-|%2[bB])`;
  if (character === '/') return String.raw`(?:\\{0,15}\/|_|%2[fF])`;
  return character;
}

const base64Pattern = (core: string): string => Array.from(core, base64Written).join('');

/** Below this many characters of base64 a match would be chance. */
const leastBase64 = 4;

/**
 * The characters of base64 that stand for these bytes wherever they begin in what is encoded: `user:password` is encoded as one, so
 * the value may start at each of three places; characters that it shares with its neighbours are left out.
 */
function base64Cores(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const core = encoded.slice([0, 2, 3][offset], Math.floor(((offset + bytes.length) * 8) / 6));
    return core.length < leastBase64 ? [] : [core];
  });
}

/** The bytes that a value can have: as it is, composed or decomposed, and in latin1 where that has all its characters. */
function encodings(value: string): readonly Buffer[] {
  const texts = composedOrNot(value);
  const composed = value.normalize('NFC');
  const isLatin1 = Array.from(composed).every((c) => (c.codePointAt(0) ?? 0) <= 0xff) && /[^\0-\x7f]/.test(composed);
  return [...texts.map((text) => Buffer.from(text, 'utf8')), ...(isLatin1 ? [Buffer.from(composed, 'latin1')] : [])];
}

/** UTF-16, as Windows writes it: in base64, in hexadecimal, and read as bytes. Of ASCII, these bytes are the same in either order. */
function utf16Forms(value: string): {
  readonly bytes: Buffer;
  readonly written: readonly string[];
  readonly base64: readonly string[];
} {
  const bytes = Buffer.from(value, 'utf16le').subarray(0, -1);
  return { bytes, written: [bytes.toString('latin1')], base64: base64Cores(bytes) };
}

/** Hexadecimal, also as programs print bytes: `70:61`, `70 61`, `70_61`, `0x70, 0x61`. */
const hexWritten = (bytes: Buffer): string =>
  Array.from(bytes, (byte) => hex(byte.toString(16).padStart(2, '0'))).join('(?:[ :._\t-]|, ?)?(?:0x)?');

/** What finds one value in a text: each a text or a global pattern. */
export interface SecretForms {
  /**
   * The value as it is, or each character as itself or escaped, in any mixture: URLs, JSON (nested too), XML, HTML, shell words, other
   * encodings. Of a long one, a few fixed ways.
   */
  readonly written: readonly (string | RegExp)[];
  /** In base64 (absent where the value is too short for it) and hexadecimal, without line ends. */
  readonly encoded: readonly (string | RegExp)[];
}

/** A pattern of every mixture of escapes takes a hundred characters for each of the value: of keys and certificates it would be too large. */
const MOST_ESCAPED_CHARACTERS = 200;

/** The forms of one value. Repetition is bounded: their time is linear in the text. */
export function formsOf(value: string): SecretForms {
  if (value.length > MOST_ESCAPED_CHARACTERS) return longForms(value);
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const pieces = [value, ...(lines.length > 1 ? lines.filter(isLongLine) : [])];
  const bytes = encodings(value);
  const cores = bytes.flatMap(base64Cores);
  const utf16 = utf16Forms(value);
  return {
    written: [value, ...utf16.written, new RegExp(oneOf(pieces.flatMap(composedOrNot).map(pieceWritten)), 'g')],
    encoded: [
      new RegExp(oneOf([...bytes, utf16.bytes].map(hexWritten)), 'g'),
      ...(cores.length === 0 ? [] : [new RegExp(oneOf(cores.map(base64Pattern)), 'g')]),
      ...utf16.base64,
    ],
  };
}

/** As it is, and with each letter and its accent as one character or as two: each of these is escaped for itself. */
const composedOrNot = (text: string): readonly string[] => [
  ...new Set([text, text.normalize('NFC'), text.normalize('NFD')]),
];

/** A run of backslashes is one unit: of two that may both be repeated, a text of backslashes could be shared out in very many ways. */
function pieceWritten(piece: string): string {
  const units = piece.replaceAll('\r\n', '\n').match(/\\+|[^\\]/gu) ?? [];
  return units
    .map((unit, i) =>
      unit.startsWith('\\')
        ? backslashesWritten(unit.length)
        : characterWritten(unit, units[i - 1]?.startsWith('\\') === true ? 0 : i),
    )
    .join('');
}

/** Escaped once they are twice as many, at the fourth level sixteen times. */
const backslashesWritten = (n: number): string =>
  oneOf([String.raw`\\{${n},${n * 16}}`, `(?:%(?:25){0,2}5[cC]|&(?:amp;){0,2}#(?:92|[xX]5[cC]);){${n}}`]);

/** A key of several lines can come back line by line. */
const isLongLine = (line: string): boolean => line.length >= 12;

/** A long value (a key, a certificate) as it is, read as latin1, in JSON, in a URL, in base64 and hexadecimal, and line by line. */
function longForms(value: string): SecretForms {
  const json = JSON.stringify(value).slice(1, -1);
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const bytes = Buffer.from(value, 'utf8');
  const utf16 = utf16Forms(value);
  const digits = [bytes, utf16.bytes].map((one) => one.toString('hex'));
  const written = [
    value,
    readAsLatin1(value),
    value.replaceAll('\n', '\r\n'),
    json,
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(value),
    ...utf16.written,
    ...lines.filter(isLongLine).flatMap((line) => [line, readAsLatin1(line), encodeURIComponent(line)]),
  ];
  const cores = base64Cores(bytes);
  const base64Url = cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'));
  return {
    written: [...new Set(written)],
    encoded: [
      ...new Set([...cores, ...base64Url, ...utf16.base64, ...digits, ...digits.map((one) => one.toUpperCase())]),
    ],
  };
}
