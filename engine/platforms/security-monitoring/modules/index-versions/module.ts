import { http, type HttpAnswer } from '../../../../facts/http.js';
import { compareByPrefix } from '../../../../lib/version.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { need } from '../../../../terms/fact.js';
import { isObject, type Json, type JsonObject } from '../../../../terms/json.js';
import { defineModule } from '../../../../terms/module.js';
import { readable } from '../../../../modules/shared/http-answer.js';
import type { Args } from './schema.js';

const PATH = '/_settings?expand_wildcards=all&filter_path=*.settings.index.version.created';
const SHOWN = 10;

export const indexVersions = defineModule<Args>()({
  name: 'index-versions',
  onlyLooks: true,
  needs: ({ endpoint }) => ({ answer: need({ endpoint }, http, { path: PATH }) }),
  touches: () => [],
  decide: (args, { answer }) => judge(args, answer),
});

function judge({ endpoint, at_most: engine }: Args, found: HttpAnswer): Verdict {
  const answer = readable(found, { endpoint, call: 'GET /_settings' });
  if (answer.is !== 'answered') return answer;
  if (answer.status !== 200 || !isObject(answer.json))
    return blocked(`${endpoint} answers ${answer.status} when asked for its indices' settings`);
  if (engine === '')
    return blocked(
      'it is not known which engine the version gone back to carries, so no index can be judged',
      'name it, as in -e rollback_engine=2.19.1 (GET /_cat/nodes?h=name,version told it before the upgrade)',
    );
  const created = createdVersions(answer.json);
  const newer = created.filter(({ version }) => (compareByPrefix(version, engine) ?? 1) > 0);
  if (newer.length === 0) return ok(`none of ${created.length} indices was created by a newer engine than ${engine}`);
  const shown = newer.slice(0, SHOWN).map(({ index, version }) => `${index} (${version})`);
  return blocked(
    `${newer.length === 1 ? '1 index was' : `${newer.length} indices were`} created by a newer engine than ${engine}, and no node of that version joins while ${newer.length === 1 ? 'it is' : 'they are'} there: ${shown.join(', ')}${newer.length > SHOWN ? ` and ${newer.length - SHOWN} more` : ''}`,
    'what is left is the old version on empty data directories and the snapshot of §9.3.1: these indices, and all that was written since the snapshot, would be lost. That is never done here; going forward loses nothing',
  );
}

/** Of each index, in the engine's own numbers: 136407927 is 2.19.1. Its predecessor's lack the bit, and are all older. */
export function createdVersions(settings: JsonObject): readonly { readonly index: string; readonly version: string }[] {
  return Object.entries(settings)
    .map(([index, value]) => ({ index, version: versionOf(at(value, 'settings', 'index', 'version', 'created')) }))
    .sort((a, b) => (a.index < b.index ? -1 : 1));
}

const BIT = 0x08000000;

function versionOf(created: Json | undefined): string {
  const number = Number(created);
  if (!Number.isInteger(number)) return 'unknown';
  if (number < BIT) return '0.0.0';
  const own = number ^ BIT;
  return [Math.floor(own / 1_000_000), Math.floor(own / 10_000) % 100, Math.floor(own / 100) % 100].join('.');
}

function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let here: Json | undefined = value;
  for (const key of path) here = here !== undefined && isObject(here) ? here[key] : undefined;
  return here;
}
