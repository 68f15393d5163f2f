import type { HttpAnswer } from '../../../../facts/http.js';
import { count } from '../../../../lib/count.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { isObject, type Json, type JsonObject } from '../../../../terms/json.js';
import { defineModule } from '../../../../terms/module.js';
import { judgeAnswer, readable } from '../../../../modules/shared/http-answer.js';
import { created, neverWritten, written } from '../index-versions/indices.js';
import type { Args } from './schema.js';

export const emptyIndices = defineModule<Args>()({
  name: 'empty-indices',
  needs: ({ endpoint }) => ({ settings: created(endpoint), stats: written(endpoint) }),
  touches: ({ endpoint }) => [created(endpoint), written(endpoint)],
  decide: (args, { settings, stats }) => judge(args, settings, stats),
  judge: ({ endpoint }, outcome) => judgeAnswer(outcome, [200], { endpoint, call: 'POST /_aliases' }),
});

function judge({ endpoint, names }: Args, settings: HttpAnswer, stats: HttpAnswer): Verdict {
  const found = readable(settings, { endpoint, call: 'GET /_settings' });
  if (found.is !== 'answered') return found;
  const counted = readable(stats, { endpoint, call: 'GET /_stats' });
  if (counted.is !== 'answered') return counted;
  const { json: there } = found;
  if (!isObject(there) || counted.json === null)
    return blocked(`${endpoint} does not answer with JSON when asked for its indices`);
  const due = names.filter((name) => Object.hasOwn(there, name));
  if (due.length === 0) return ok('none of these indices is there');
  const empty = neverWritten(counted.json);
  const withWrites = due.filter((name) => !empty.has(name));
  if (withWrites.length > 0)
    return blocked(
      `${withWrites.join(', ')} ${withWrites.length === 1 ? 'is' : 'are'} not empty any more, or cannot be asked: nothing was deleted`,
      'what was written there would be lost; going forward loses nothing',
    );
  return {
    is: 'change',
    change: {
      summary: `delete ${count(due.length, 'empty index', 'empty indices')}: ${due.join(', ')}`,
      sign: '-',
      actions: [
        {
          do: 'request',
          request: {
            endpoint,
            method: 'POST',
            path: '/_aliases', // takes the names as data; a path would have to hold them
            json: { actions: due.map((index) => ({ remove_index: { index } })) },
            timeoutMs: 60_000,
          },
          expect: { status: [200], at: [{ pointer: '/acknowledged', equals: true }] },
        },
      ],
      touches: [created(endpoint), written(endpoint)],
      predicts: [{ ref: created(endpoint), value: without(found, there, due) }],
    },
  };
}

/** The answer once they are gone: what a plan judges later steps by. */
function without(answer: HttpAnswer, there: JsonObject, gone: readonly string[]): Json {
  const json = Object.fromEntries(Object.entries(there).filter(([index]) => !gone.includes(index)));
  return { ...answer, json, text: JSON.stringify(json) };
}
