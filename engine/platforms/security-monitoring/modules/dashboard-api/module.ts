import { http, type HttpAnswer } from '../../../../facts/http.js';
import { pointer } from '../../../../lib/json.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { need } from '../../../../terms/fact.js';
import type { Json } from '../../../../terms/json.js';
import { defineModule, type At, type More } from '../../../../terms/module.js';
import { readable, short, type Asking } from '../../../../modules/shared/http-answer.js';
import { textOf } from '../../../../modules/shared/text-of.js';
import type { Args } from './schema.js';

/** How long an API that is not ready yet is waited for. */
const PATIENCE_MS = 60_000;
const asking = ({ endpoint }: Args, call: string): Asking => ({ endpoint, call, patienceMs: PATIENCE_MS });
const ofHost = ({ endpoint }: Args, { task }: Pick<At, 'task'>) => ({
  endpoint,
  ...('host' in task.on ? { node: task.on.host } : {}),
});

export const dashboardApi = defineModule<Args>()({
  name: 'dashboard-api',
  onlyLooks: true,
  needs: (args, at) => ({ listed: need(ofHost(args, at), http, { path: args.hosts }) }),
  touches: () => [],
  decide(args, { listed }, at, more) {
    const call = `GET ${args.hosts}`;
    const answer = readable(listed, asking(args, call));
    if (answer.is !== 'answered') return answer;
    const ids = idsIn(answer.json);
    if (answer.status !== 200 || ids === undefined)
      return blocked(`${call} answers ${answer.status}: ${short(answer.text)}`);
    if (ids.length === 0)
      return blocked('the dashboard is configured with no management API', `add it to ${args.config}`);
    if (more === undefined)
      return {
        is: 'more',
        needs: Object.fromEntries(
          ids.map((id) => [
            id,
            need(ofHost(args, at), http, {
              path: args.check,
              json: { id },
              headers: { 'osd-xsrf': 'true' },
              relayed: true,
            }),
          ]),
        ),
      };
    return judge(args, ids, more);
  },
});

/** The names of the APIs; undefined: the answer is no list of them. */
function idsIn(list: Json): readonly string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const ids = (list as readonly Json[]).map((one) => textOf(pointer(one, '/id') ?? null));
  return ids.includes('') ? undefined : ids;
}

function judge(args: Args, ids: readonly string[], more: More): Verdict {
  const failures: string[] = [];
  for (const id of ids) {
    const answer = more[id] as unknown as HttpAnswer;
    // The management API's own refusal comes through: it is no refusal by the dashboard.
    const refused = answer.is === 'answered' && (answer.status === 401 || answer.status === 403);
    const found = refused ? answer : readable(answer, asking(args, `POST ${args.check}`));
    if (found.is !== 'answered') return found;
    const why = failureIn(id, found);
    if (why !== undefined) failures.push(`${id}: ${why}`);
  }
  const [first] = failures;
  if (first === undefined) return ok(`the dashboard can use ${ids.join(', ')}`);
  return blocked(
    `the dashboard cannot use its management API: ${failures.join('; ')}`,
    `correct address, user and password in ${args.config}, and restart the dashboard`,
  );
}

/** It answers 200 also where nothing listens at the address, and where it took another API of its list instead. */
function failureIn(id: string, { status, json, text }: Extract<HttpAnswer, { is: 'answered' }>): string | undefined {
  if (status !== 200) return `${status} ${short(textOf(pointer(json, '/message') ?? null) || text)}`;
  if (pointer(json, '/data/apiIsDown') === true) return 'the connection is refused';
  const instead = textOf(pointer(json, '/idChanged') ?? null);
  return instead === '' || instead === id ? undefined : `it does not answer, ${instead} is used instead`;
}
