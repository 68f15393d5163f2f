import { isSlipOf, nearest } from '../../lib/nearest.js';
import type { Json } from '../../terms/json.js';
import { suggest, type Mistakes } from '../mistakes.js';
import { findingsOf, type Finding, type Open } from './findings.js';
import { findingText } from './text.js';
import { wordsAt, type Words } from './words.js';
import type { Check } from '../validators.generated.js';
import type { Path } from '../yaml/node.js';
import type { Source } from '../yaml/source.js';

export interface SchemaCheck {
  readonly check: Check;
  /** The schema's file under schemas/. */
  readonly schema: string;
  readonly source: Source;
  readonly data: Json;
  /** Where the data stands in its file. */
  readonly base: Path;
  readonly open: Open;
  /** What the data at a path is called (`systemctl`, `the inventory`); empty where `about` says it; undefined: by its key. */
  readonly title: (path: Path) => string | undefined;
  /** Put before each message: `step "Stop the database": `. */
  readonly about: (path: Path) => string;
  /** What to do about an unknown key that belongs somewhere else. */
  readonly misplaced?: (key: string, path: Path) => string | undefined;
  /** True for a finding that another check reports better. */
  readonly skip?: (finding: Finding) => boolean;
}

/** Reports every finding of a schema where it is written. The texts of the schemas are loaded only when something is wrong. */
export async function checkSchema(asked: SchemaCheck, mistakes: Mistakes): Promise<void> {
  const findings = findingsOf(asked.check, asked.data, asked.open).filter((f) => asked.skip?.(f) !== true);
  if (findings.length === 0) return;
  const { schemas } = await import('../schemas.generated.js');
  const worded = findings.map((finding) => ({
    finding,
    words: wordsAt(schemas, asked.schema, asked.data, finding.path),
  }));
  // What is missing is there, misspelt: the unknown key says so.
  const meant = new Set(
    worded.flatMap(({ finding, words }) =>
      finding.key === undefined ? [] : [placeKey(finding.path, nearest(finding.key, words.keys))],
    ),
  );
  for (const { finding, words } of worded) {
    if (finding.keyword === 'required' && meant.has(placeKey(finding.path, String(finding.params['missingProperty']))))
      continue;
    tell(asked, finding, words, mistakes);
  }
}

const placeKey = (path: Path, key: string | undefined): string => JSON.stringify([...path, key ?? null]);

function tell(
  { source, base, title, about, misplaced }: SchemaCheck,
  finding: Finding,
  words: Words,
  mistakes: Mistakes,
): void {
  const { message, hint } = findingText(finding, title(finding.path) ?? holder(finding.path), words);
  const path = [...base, ...finding.path];
  const text = about(finding.path) + message;
  if (finding.key !== undefined) {
    const near =
      finding.keyword === 'pattern'
        ? undefined
        : (misplaced?.(finding.key, finding.path) ?? suggest(nearest(finding.key, words.keys), words.keys, 'keys'));
    mistakes.at({ source, path: [...path, finding.key], on: 'key' }, text, { hint: near ?? hint });
    return;
  }
  const { allowedValues } = finding.params;
  // Values that are further apart mean different things: "restarted" is not "started".
  const near = Array.isArray(allowedValues)
    ? allowedValues.map(String).find((allowed) => typeof finding.value === 'string' && isSlipOf(finding.value, allowed))
    : undefined;
  const missing = finding.keyword === 'required' || finding.keyword.endsWith('Properties');
  const advice = { hint: near === undefined ? (hint ?? describe(finding, words)) : `did you mean "${near}"?` };
  mistakes.at({ source, path, on: missing ? 'key' : 'value' }, text, advice);
}

const describe = ({ keyword }: Finding, { description }: Words): string | undefined =>
  ['pattern', 'anyOf', 'oneOf'].includes(keyword) ? description : undefined;

const holder = (path: Path): string => {
  const last = path.at(-1);
  return typeof last === 'number'
    ? `item ${last + 1} of "${path.findLast((s) => typeof s === 'string') ?? ''}"`
    : `"${last ?? ''}"`;
};
