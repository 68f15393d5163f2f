import { nearest } from '../lib/nearest.js';
import type { Json } from '../terms/json.js';
import { suggest, type Mistakes } from './mistakes.js';
import { findingsOf, type Finding, type Open } from './schema-findings.js';
import { findingText } from './schema-text.js';
import { wordsAt, type Words } from './schema-words.js';
import type { Check } from './validators.generated.js';
import type { Path } from './yaml-node.js';
import type { Source } from './yaml-source.js';

export interface SchemaCheck {
  readonly check: Check;
  /** The schema's file under schemas/. */
  readonly schema: string;
  readonly source: Source;
  readonly data: Json;
  /** Where the data stands in its file. */
  readonly base: Path;
  readonly open: Open;
  /** What the top of the data is called: `systemctl`, `the inventory`. */
  readonly title: string;
  /** Put before each message: `step "Stop the indexer": `. */
  readonly about: (path: Path) => string;
  /** True for a finding that is told better elsewhere. */
  readonly skip?: (finding: Finding) => boolean;
}

/** Tells every finding of a schema where it is written. The schemas' words are loaded only when something is wrong. */
export async function checkSchema(asked: SchemaCheck, mistakes: Mistakes): Promise<void> {
  const findings = findingsOf(asked.check, asked.data, asked.open).filter((f) => asked.skip?.(f) !== true);
  if (findings.length === 0) return;
  const { schemas } = await import('./schemas.generated.js');
  for (const finding of findings) {
    const words = wordsAt(schemas, asked.schema, asked.data, finding.path);
    tell(asked, finding, words, mistakes);
  }
}

function tell({ source, base, title, about }: SchemaCheck, finding: Finding, words: Words, mistakes: Mistakes): void {
  const { message, hint } = findingText(finding, holder(finding.path, title), words);
  const path = [...base, ...finding.path];
  const text = about(finding.path) + message;
  if (finding.key !== undefined) {
    const near = finding.keyword === 'pattern' ? undefined : suggest(nearest(finding.key, words.keys), words.keys, 'keys');
    mistakes.at({ source, path: [...path, finding.key], on: 'key' }, text, { hint: near ?? hint });
    return;
  }
  const { allowedValues } = finding.params;
  const near = Array.isArray(allowedValues) ? nearest(String(finding.value), allowedValues.map(String)) : undefined;
  const missing = finding.keyword === 'required' || finding.keyword.endsWith('Properties');
  const advice = { hint: near === undefined ? (hint ?? describe(finding, words)) : `did you mean "${near}"?` };
  mistakes.at({ source, path, on: missing ? 'key' : 'value' }, text, advice);
}

const describe = ({ keyword }: Finding, { description }: Words): string | undefined =>
  ['pattern', 'anyOf', 'oneOf'].includes(keyword) ? description : undefined;

const holder = (path: Path, title: string): string => {
  const last = path.at(-1);
  if (last === undefined) return title;
  return typeof last === 'number' ? `item ${last + 1} of "${String(path.findLast((s) => typeof s === 'string') ?? title)}"` : `"${last}"`;
};
