import type { HttpAnswer } from '../../../../facts/http.js';
import { count } from '../../../../lib/count.js';
import { compareByPrefix } from '../../../../lib/version.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { isObject } from '../../../../terms/json.js';
import { defineModule } from '../../../../terms/module.js';
import { readable } from '../../../../modules/shared/http-answer.js';
import { created, createdVersions, neverWritten, written, type CreatedIndex } from './indices.js';
import type { Args } from './schema.js';

const SHOWN = 10;

export const indexVersions = defineModule<Args>()({
  name: 'index-versions',
  onlyLooks: true,
  needs: ({ endpoint }) => ({ answer: created(endpoint) }),
  touches: () => [],
  decide: (args, { answer }, _at, more) => judge(args, answer, more?.['written'] as HttpAnswer | undefined),
});

function judge(args: Args, found: HttpAnswer, writes: HttpAnswer | undefined): Verdict {
  const { endpoint, at_most: engine } = args;
  const answer = readable(found, { endpoint, call: 'GET /_settings' });
  if (answer.is !== 'answered') return answer;
  if (answer.status !== 200 || !isObject(answer.json))
    return blocked(`${endpoint} answers ${answer.status} when asked for its indices' settings`);
  if (engine === '')
    return blocked(
      'it is not known which engine the version gone back to carries, so no index can be judged',
      'name it, as in -e rollback_engine=2.19.1 (GET /_cat/nodes?h=name,version told it before the upgrade)',
    );
  const all = createdVersions(answer.json);
  const newer = all.filter(({ version }) => (compareByPrefix(version, engine) ?? 1) > 0);
  if (newer.length === 0)
    return ok(`none of ${all.length} indices was created by a newer engine than ${engine}`, { empty: [] });
  if (writes === undefined) return { is: 'more', needs: { written: written(endpoint) } };
  const stats = readable(writes, { endpoint, call: 'GET /_stats' });
  if (stats.is !== 'answered') return stats;
  const empty = neverWritten(stats.json);
  return ofNewer(
    args,
    newer.filter(({ index }) => !empty.has(index)),
    newer.filter(({ index }) => empty.has(index)),
  );
}

/** Of the indices that a newer engine created, those with writes end the rollback; an empty one may be deleted. */
function ofNewer(
  { at_most: engine, empty: wanted = 'refused' }: Args,
  withWrites: readonly CreatedIndex[],
  empty: readonly CreatedIndex[],
): Verdict {
  const keptOut = (of: readonly CreatedIndex[]): string =>
    `${were(of)} created by a newer engine than ${engine}, and no node of that version joins while ${of.length === 1 ? 'it is' : 'they are'} there: ${listed(of)}`;
  if (withWrites.length > 0)
    return blocked(
      keptOut(withWrites),
      'what is left is the old version on empty data directories and the snapshot of §9.3.1: these indices, and all that was written since the snapshot, would be lost. That is never done here; going forward loses nothing',
    );
  if (wanted === 'allowed')
    return ok(
      `${were(empty)} created by a newer engine than ${engine}, and nothing was ever written: ${listed(empty)}`,
      {
        empty: empty.map(({ index }) => index),
      },
    );
  const them = empty.length === 1 ? 'it' : 'them';
  return blocked(
    `${keptOut(empty)}. Nothing was ever written to ${them}`,
    `delete ${them} (DELETE /${empty[0]?.index ?? ''}), then: runbook resume`,
  );
}

const were = (of: readonly CreatedIndex[]): string =>
  `${count(of.length, 'index', 'indices')} ${of.length === 1 ? 'was' : 'were'}`;

function listed(of: readonly CreatedIndex[]): string {
  const shown = of.slice(0, SHOWN).map(({ index, version }) => `${index} (${version})`);
  return `${shown.join(', ')}${of.length > SHOWN ? ` and ${of.length - SHOWN} more` : ''}`;
}
