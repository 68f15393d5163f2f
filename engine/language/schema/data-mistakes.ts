import type { Json } from '../../terms/json.js';
import { nearest } from '../../lib/nearest.js';
import { suggest } from '../mistakes.js';
import type { Check } from '../validators.generated.js';
import type { Path } from '../yaml/node.js';
import { findingsOf, nothingOpen } from './findings.js';
import { findingText } from './text.js';
import { wordsAt } from './words.js';

/** What a schema finds in data that has no lines, such as that of `-e`: `simulate.hosts.web: unknown key "file" …`. */
export async function dataMistakes(check: Check, schema: string, data: Json): Promise<readonly string[]> {
  const findings = findingsOf(check, data, nothingOpen);
  if (findings.length === 0) return [];
  const { schemas } = await import('../schemas.generated.js');
  return findings.map((finding) => {
    const words = wordsAt(schemas, schema, data, finding.path);
    const { message, hint } = findingText(finding, '', words);
    const near = finding.key === undefined ? hint : suggest(nearest(finding.key, words.keys), words.keys, 'keys');
    return `${placeOf(finding.path)}: ${message.trim()}${near === undefined ? '' : `; ${near}`}`;
  });
}

const placeOf = (path: Path): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${step}`)).join('');
