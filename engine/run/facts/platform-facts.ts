import { content, file, type FileContent, type FileState } from '../../facts/file.js';
import { disk, probe, type DiskState, type ProbeAnswer } from '../../facts/host.js';
import { http } from '../../facts/http.js';
import { textIn } from '../../facts/pending-task.js';
import { decodeFact } from '../../language/types/fact-types.js';
import { render } from '../../language/templates/render.js';
import type { Scope } from '../../language/templates/rendered.js';
import { errorText } from '../../lib/error-text.js';
import { jsonOrUndefined, pointer, whyNoJson } from '../../lib/json.js';
import { getOrCreate } from '../../lib/get-or-create.js';
import { compilePattern } from '../../lib/pattern.js';
import { enabledAddresses } from '../../modules/package-repository/text.js';
import { elementTexts, overriddenTexts } from '../../modules/shared/xml-elements.js';
import { readYaml } from '../../modules/shared/yaml-tree.js';
import { need, type Known, type Need } from '../../terms/fact.js';
import { isObject, type Json } from '../../terms/json.js';
import { holdsReference } from '../../terms/secret.js';
import type { FactPattern, FactSource, PlatformFact } from '../../terms/playbook.js';
import type { FileFormat } from '../../terms/schemas/platform/fact-sources.js';

/** Where a fact is asked for: the host at hand, the names of its templates, and how a question is put. */
export interface Asking extends Scope {
  readonly host: string | undefined;
  readonly read: <V>(question: Need<V>) => Known<V>;
}

const unknown = (because: string): Known<Json> => ({ known: false, because, dependsOn: [] });
const known = (value: Json): Known<Json> => ({ known: true, value });
/** Nothing is there: the fact's default stands. */
const NOTHING = Symbol('nothing');
type Raw = { readonly value: Json } | { readonly nothing: string } | Extract<Known<Json>, { known: false }>;

/** The value of a fact of platform.yaml now; unknown with the reason when it cannot be had. */
export function readFact(fact: PlatformFact, asking: Asking): Known<Json> {
  const { default: otherwise } = fact;
  const placed = placeOf(fact, asking);
  if ('known' in placed) return placed;
  const { place, at } = placed;
  const raw = asJson(fact, place, ask(place, fact.type, asking));
  if ('known' in raw) return raw;
  const value = 'value' in raw ? (at === null ? raw.value : pointer(raw.value, at)) : NOTHING;
  const read = value === undefined || value === NOTHING ? otherwise : value;
  if (read !== undefined) {
    const decoded = decodeFact(fact, read);
    return 'value' in decoded
      ? known(decoded.value)
      : unknown(`the value of ${nameOf(place)}${at === null ? '' : ` at ${at}`} ${decoded.mistake}`);
  }
  return unknown('nothing' in raw ? raw.nothing : `${nameOf(place)} holds nothing at ${at ?? '/'}`);
}

interface Placed {
  readonly place: FactSource;
  /** The pointer into the value. */
  readonly at: string | null;
}

/** Where a fact is read, with its templates rendered; unknown with the reason while they cannot be. */
function placeOf(fact: PlatformFact, asking: Asking): Placed | Extract<Known<Json>, { known: false }> {
  const written = writtenPlaceOf(fact);
  const rendered = render(written, asking);
  if (rendered.is === 'value') {
    // `validate` finds a secret that a fact names itself; this one came in by another name.
    if (rendered.value !== written && holdsReference(rendered.value))
      return { known: false, because: 'a fact cannot use a secret', dependsOn: [] };
    const [place, at] = rendered.value as unknown as readonly [FactSource, string | null];
    return { place, at };
  }
  const because = rendered.is === 'wrong' ? rendered.message : rendered.because;
  return { known: false, because: `where it stands cannot be known: ${because}`, dependsOn: [] };
}

/** By the fact, its place as it is written: one object for each, so that `render` knows those without a template. */
const writtenPlaces = new WeakMap<PlatformFact, Json>();

const writtenPlaceOf = (fact: PlatformFact): Json =>
  getOrCreate(writtenPlaces, fact, () => {
    const { description: _, type: _type, default: _otherwise, pointer: at, ...source } = fact;
    return [source, at ?? null];
  });

/** Where a fact is read, in words: `GET /_cluster/health of endpoint cluster`, `file /etc/a.yml on db-1, at /b`. */
export function factOrigin(fact: PlatformFact, asking: Asking): string | undefined {
  const placed = placeOf(fact, asking);
  if ('known' in placed) return undefined;
  const { place, at } = placed;
  const where = at === null || at === '' ? '' : `, at ${at}`;
  const isDefault = fact.default !== undefined && !readFact(withoutDefault(fact), asking).known;
  return `${sourceInWords(place, asking.host)}${where}${isDefault ? '; nothing is there: the default of the fact' : ''}`;
}

function withoutDefault(fact: PlatformFact): PlatformFact {
  const { default: _, ...rest } = fact;
  return rest;
}

function sourceInWords(source: FactSource, host: string | undefined): string {
  const on = host === undefined ? '' : ` on ${host}`;
  if ('endpoint' in source)
    return `${source.json === undefined ? 'GET' : 'POST'} ${source.path} of endpoint ${source.endpoint}${source.eachNode === true ? `, node${on}` : ''}`;
  if ('file' in source) return `file ${source.file}${on}`;
  if ('disk' in source) return `file system of ${source.disk}${on}`;
  return `${source.exit === 'value' ? 'exit status of ' : ''}command ${nameOf(source)}${on}`;
}

/** What a command prints is text, but for a fact of type `json` and one with a pointer. Where it prints nothing, a default stands. */
function asJson({ type, pointer: at, default: otherwise }: PlatformFact, place: FactSource, raw: Raw): Raw {
  if (!('command' in place) || !('value' in raw)) return raw;
  if (raw.value === '' && otherwise !== undefined) return { nothing: `${nameOf(place)} prints nothing` };
  if (type !== 'json' && at === undefined) return raw;
  if (typeof raw.value !== 'string') return { value: raw.value };
  const value = jsonOrUndefined(raw.value);
  return value === undefined
    ? { known: false, because: `${nameOf(place)} ${whyNoJson(raw.value, 'does not print JSON')}`, dependsOn: [] }
    : { value };
}

function ask(source: FactSource, type: PlatformFact['type'], asking: Asking): Raw {
  if ('endpoint' in source) return overHttp(source, type, asking);
  const { host, read } = asking;
  if (host === undefined)
    return { known: false, because: `${nameOf(source)} is of a host, and none is at hand`, dependsOn: [] };
  if ('file' in source && source.format === 'sha256')
    return ofHash(source.file, read(need({ host }, file, source.file)));
  if ('file' in source) return ofFile(source, read(need({ host }, content, source.file)));
  if ('disk' in source) return ofDisk(read(need({ host }, disk, source.disk)));
  const argv = argumentsOf(source);
  if (argv === undefined)
    return { known: false, because: `${nameOf(source)} is no list of arguments: text and numbers`, dependsOn: [] };
  return ofCommand(source, read(need({ host }, probe, { argv })));
}

/** A template may lead to a number or a truth value: as an argument that is its text. */
function argumentsOf({ command }: Extract<FactSource, { command: Json }>): readonly [string, ...string[]] | undefined {
  const args = Array.isArray(command) ? (command as readonly Json[]) : [];
  if (args.some((one) => typeof one === 'object')) return undefined;
  const [program, ...rest] = args.map(String);
  return program === undefined ? undefined : [program, ...rest];
}

const nameOf = (source: FactSource): string =>
  'endpoint' in source
    ? source.path
    : 'file' in source
      ? source.file
      : 'disk' in source
        ? source.disk
        : ([source.command].flat() as readonly string[]).join(' ');

function overHttp(
  source: Extract<FactSource, { endpoint: string }>,
  type: PlatformFact['type'],
  { host, read }: Asking,
): Raw {
  const { endpoint, path, json, eachNode, absent = [] } = source;
  const subject = { endpoint, ...(eachNode === true && host !== undefined ? { node: host } : {}) };
  const answer = read(need(subject, http, { path, ...(json === undefined ? {} : { json }) }));
  if (!answer.known) return answer;
  const a = answer.value;
  if (a.is !== 'answered') return { known: false, because: a.reason, dependsOn: [] };
  if (a.status === 200 && source.pattern !== undefined) return matched(source, a.text);
  // What is no JSON has none, and so has the text `null`.
  if (a.status === 200 && type === 'json' && a.json === null && jsonOrUndefined(a.text) === undefined)
    return { known: false, because: `${endpoint} answers ${path} with what is no JSON`, dependsOn: [] };
  if (a.status === 200) return { value: a.json ?? a.text };
  const said = errorText(a.text);
  const because = `${endpoint} answers ${a.status} to ${path}${said === '' ? '' : `: ${said}`}`;
  return a.status === 404 || absent.includes(a.status)
    ? { nothing: because }
    : { known: false, because, dependsOn: [] };
}

function ofHash(path: string, found: Known<FileState>): Raw {
  if (!found.known) return found;
  const hash = found.value.exists ? found.value.sha256 : undefined;
  return hash === undefined ? { nothing: `there is no file ${path}` } : { value: hash };
}

type FileSource = Extract<FactSource, { file: string }>;
/** By the content of a file, what was read from it: conditions ask for the same facts over and over. */
const readBefore = new WeakMap<object, Map<string, Raw>>();

function ofFile(source: FileSource, found: Known<FileContent>): Raw {
  if (!found.known) return found;
  const content = found.value;
  if (content === null) return { nothing: `there is no ${source.file}` };
  const before = getOrCreate(readBefore, content, () => new Map<string, Raw>());
  return getOrCreate(before, JSON.stringify(source), () => {
    const found = textIn(source.file, content);
    if (found.is === 'damaged') return { known: false, because: withHint(found.reason, found.hint), dependsOn: [] };
    return fromText(source, found.text);
  });
}

function fromText(source: FileSource, text: string): Raw {
  const { file, format, leaveOut, url } = source;
  if (format === 'xml') return ofXml(source, text);
  if (format === 'repository') return { value: enabledAddresses(text, file, url ?? '') };
  const read = valueOf(text, format, file);
  return 'value' in read && leaveOut !== undefined
    ? { value: without(read.value, compilePattern(leaveOut)) ?? null }
    : read;
}

/** The value less the leaves that match; a list that holds one goes whole, for its places would shift. */
function without(value: Json, pattern: RegExp): Json | undefined {
  if (typeof value === 'string') return pattern.test(value) ? undefined : value;
  if (Array.isArray(value)) {
    const parts = (value as readonly Json[]).map((v) => without(v, pattern));
    return parts.includes(undefined) ? undefined : (parts as readonly Json[]);
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, v]): (readonly [string, Json])[] => {
      const rest = without(v, pattern);
      return rest === undefined ? [] : [[key, rest]];
    }),
  );
}

function ofXml({ file, elements = '', overriddenUnless: repeated }: FileSource, text: string): Raw {
  const read = repeated === undefined ? elementTexts(text, elements) : overriddenTexts(text, elements, repeated);
  return read.is === 'texts'
    ? { value: read.texts }
    : { known: false, because: `${file} cannot be read as XML: ${read.reason}`, dependsOn: [] };
}

function valueOf(text: string, format: Exclude<FileFormat, 'xml' | 'repository'>, file: string): Raw {
  if (format === 'text') return { value: text };
  if (format === 'json') {
    const value = jsonOrUndefined(text);
    return value === undefined
      ? { known: false, because: `${file} ${whyNoJson(text, 'is no JSON')}`, dependsOn: [] }
      : { value };
  }
  const read = readYaml(text);
  if (read.is === 'wrong')
    return { known: false, because: withHint(`${file}: ${read.reason}`, read.hint), dependsOn: [] };
  return { value: Object.fromEntries<Json>(read.yaml.values) };
}

const withHint = (because: string, hint: string | undefined): string =>
  hint === undefined ? because : `${because}; ${hint}`;

function ofDisk(found: Known<DiskState>): Raw {
  if (!found.known) return found;
  return { value: { free_bytes: found.value.freeBytes, total_bytes: found.value.totalBytes } };
}

function ofCommand(source: Extract<FactSource, { command: Json }>, found: Known<ProbeAnswer>): Raw {
  if (!found.known) return found;
  const { exit, stdout } = found.value;
  // The shell found no such program, or may not run it.
  const isRun = exit !== 126 && exit !== 127;
  if (source.exit === 'value' && isRun) return { value: exit };
  if (source.exit === 'value' || !(source.exit ?? [0]).includes(exit))
    return { nothing: `${nameOf(source)} ended with status ${exit}` };
  return source.pattern === undefined ? { value: stdout.trim() } : matched(source, stdout);
}

function matched(source: FactSource & FactPattern, text: string): Raw {
  const { pattern = '', all } = source;
  if (all === true) return { value: [...text.matchAll(compilePattern(pattern, 'gm'))].map(caught) };
  const match = compilePattern(pattern).exec(text);
  return match === null ? { nothing: `${nameOf(source)} says nothing like ${pattern}` } : { value: caught(match) };
}

const caught = (match: RegExpMatchArray): Json =>
  match.groups === undefined ? (match[1] ?? match[0]) : { ...match.groups };
