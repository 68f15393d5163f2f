import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../engine/terms/json.js';
import { compareKeys } from './keys.js';

/** A test that proves what no step of a playbook shows: part of its full name, and its file from the project's root. */
export interface NamedTest {
  readonly file: string;
  readonly name: string;
}

/** A numbered item, a table row or a rule of the specification. */
export interface Item {
  readonly key: string;
  readonly text: string;
  /** What must be there for it: each matches at least one step, play, fact, name, role or invariant. */
  readonly by: readonly JsonObject[];
  /** The playbook that must carry it, itself or by an import; without one any may. */
  readonly procedure?: string;
  /** It is a refusal: a test must have seen a carrier refuse. */
  readonly refused: boolean;
  readonly tests: readonly NamedTest[];
  /** Why nothing carries it: not shown by the specification, or an operator's act. */
  readonly reason?: string;
  /** What of it comes later, and with which part. */
  readonly later?: string;
}

export interface Section {
  readonly key: string;
  readonly title: string;
  readonly items: readonly Item[];
}

/** What is wrong, and where: the same words at the terminal and in tests. */
export interface Finding {
  readonly at: string;
  readonly says: string;
}

const SECTION = /^[1-9](\.[1-9][0-9]*)*$/;
const PART = /^(\.[1-9][0-9]*|\.[a-z][a-z0-9-]*)+$/;
const FIELDS = ['text', 'by', 'refused', 'tests', 'reason', 'later'];

/** Reads docs/specification.items.yaml: its sections in their order, and what its form has wrong. */
export function readItems(file: string): { readonly sections: readonly Section[]; readonly findings: Finding[] } {
  return itemsOf(parse(readFileSync(file, 'utf8')) as Json);
}

/** The same, of data. */
export function itemsOf(json: Json): { readonly sections: readonly Section[]; readonly findings: Finding[] } {
  const findings: Finding[] = [];
  // A map of JavaScript puts "9" before "2.1".
  const ordered = Object.entries(mapOf(json)).sort(([a], [b]) => compareKeys(a, b));
  const sections = ordered.map(([key, value]): Section => {
    const written = mapOf(value);
    if (!SECTION.test(key)) findings.push({ at: key, says: 'is no number of a section' });
    const procedure = written['procedure'] === undefined ? {} : { procedure: textOf(written['procedure']) };
    const items = Object.entries(mapOf(written['items'])).map(([itemKey, item]) => ({
      ...itemOf(key, itemKey, item, findings),
      ...procedure,
    }));
    return { key, title: textOf(written['title']), items };
  });
  const keys = keysIn(sections);
  for (const key of new Set(keys.filter((k, i) => keys.indexOf(k) !== i)))
    findings.push({ at: key, says: 'is there twice' });
  return { sections, findings };
}

/** Every key that `spec:` and `§` may name: sections and their items. */
export const keysIn = (sections: readonly Section[]): readonly string[] =>
  sections.flatMap((s) => [s.key, ...s.items.map((i) => i.key)]);

function itemOf(section: string, key: string, json: Json, findings: Finding[]): Item {
  const written = isObject(json) ? json : { text: json };
  if (!key.startsWith(section) || !PART.test(key.slice(section.length)))
    findings.push({ at: key, says: `is no item of section ${section}: write ${section}.NUMBER or ${section}.slug` });
  for (const field of Object.keys(written).filter((f) => !FIELDS.includes(f)))
    findings.push({ at: key, says: `has the unknown field "${field}"; there are ${FIELDS.join(', ')}` });
  if (textOf(written['text']) === '') findings.push({ at: key, says: 'has no text' });
  return {
    key,
    text: textOf(written['text']),
    by: listOf(written['by']).filter(isObject),
    refused: written['refused'] === true,
    tests: listOf(written['tests'])
      .filter(isObject)
      .map((t) => ({ file: textOf(t['file']), name: textOf(t['name']) })),
    ...(written['reason'] === undefined ? {} : { reason: textOf(written['reason']) }),
    ...(written['later'] === undefined ? {} : { later: textOf(written['later']) }),
  };
}

const mapOf = (json: Json | undefined): JsonObject => (json !== undefined && isObject(json) ? json : {});
const listOf = (json: Json | undefined): readonly Json[] => (Array.isArray(json) ? (json as readonly Json[]) : []);
const textOf = (json: Json | undefined): string => (typeof json === 'string' ? json.trim() : '');
