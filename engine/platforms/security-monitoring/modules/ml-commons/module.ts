import { http, type HttpAnswer } from '../../../../facts/http.js';
import { ok, type Verdict } from '../../../../terms/change.js';
import { need, type Need, type Needs } from '../../../../terms/fact.js';
import { isObject, type Json, type JsonObject } from '../../../../terms/json.js';
import { defineModule, type More } from '../../../../terms/module.js';
import { PAGE, pageOf, pathOf, WINDOW, type Named, type Page } from './answer.js';
import { textOf } from '../../../../modules/shared/text-of.js';
import type { Args } from './schema.js';

const KINDS = ['models', 'agents'] as const;
type Kind = (typeof KINDS)[number];
const searchOf = (kind: Kind): string => `/_plugins/_ml/${kind}/_search`;
const ask = (endpoint: string, kind: Kind, from: number): Need<HttpAnswer> =>
  need({ endpoint }, http, { path: pathOf(searchOf(kind), from) });

export const mlCommons = defineModule<Args>()({
  name: 'ml-commons',
  onlyLooks: true,
  needs: ({ endpoint }) => ({ models: ask(endpoint, 'models', 0), agents: ask(endpoint, 'agents', 0) }),
  touches: () => [],
  decide(args, now, _at, more = {}) {
    const read = Object.fromEntries(KINDS.map((kind) => [kind, listOf(args, kind, now[kind], more)]));
    const lists = read as Record<Kind, Listed>;
    const needs = { ...lists.models.needs, ...lists.agents.needs };
    return (
      lists.models.verdict ??
      lists.agents.verdict ??
      (Object.keys(needs).length > 0
        ? { is: 'more', needs }
        : args.state === 'recorded'
          ? recorded(lists)
          : compared(lists, args.before ?? {}))
    );
  },
});

/** What is there of a kind; `isThere` false: the plug-in does not answer for it. `needs`: pages that are still to be asked for. */
interface Listed {
  readonly isThere: boolean;
  readonly found: readonly Named[];
  readonly needs: Needs;
  readonly warnings: readonly string[];
  readonly verdict?: Verdict;
}

const NOTHING: Listed = { isThere: false, found: [], needs: {}, warnings: [] };

/** All pages of one kind: the first has their number, and the others are requested at once. */
function listOf({ endpoint, state }: Args, kind: Kind, first: HttpAnswer, more: More): Listed {
  const call = `GET ${searchOf(kind)}`;
  const read = (answer: HttpAnswer): Page => pageOf(endpoint, call, answer, state === 'compared');
  const page = read(first);
  if (page.is === 'none') return NOTHING;
  if (page.is === 'refused') return unknown(kind, page.why);
  if (page.is === 'verdict') return { ...NOTHING, verdict: page.verdict };
  const last = Math.min(page.total, WINDOW);
  const others = Array.from({ length: Math.max(0, Math.ceil(last / PAGE) - 1) }, (_, i) => (i + 1) * PAGE);
  const missing = others.filter((from) => more[`${kind}:${from}`] === undefined);
  if (missing.length > 0)
    return {
      ...NOTHING,
      needs: Object.fromEntries(missing.map((from) => [`${kind}:${from}`, ask(endpoint, kind, from)])),
    };
  const pages = others.map((from) => read(more[`${kind}:${from}`] as unknown as HttpAnswer));
  const failed = pages.find((p) => p.is === 'verdict');
  if (failed !== undefined) return { ...NOTHING, verdict: failed.verdict };
  const refused = pages.find((p) => p.is === 'refused');
  if (refused !== undefined) return unknown(kind, refused.why);
  const found = [page, ...pages].flatMap((p) => (p.is === 'page' ? p.found : []));
  return {
    isThere: true,
    needs: {},
    found: [...found].sort((a, b) => (a.id < b.id ? -1 : 1)),
    warnings: page.total > WINDOW ? [`ML Commons has ${page.total} ${kind}: only the first ${WINDOW} are known`] : [],
  };
}

const unknown = (kind: Kind, why: string): Listed => ({
  ...NOTHING,
  warnings: [`ML Commons' ${kind} are not known: ${why}`],
});

function recorded({ models, agents }: Record<Kind, Listed>): Verdict {
  const exported = { models: models.found, agents: agents.found } as unknown as JsonObject;
  return ok(
    models.isThere || agents.isThere ? `ML Commons has ${counted(models, agents)}` : 'ML Commons is not in use',
    { ...exported, count: models.found.length + agents.found.length, text: `${JSON.stringify(exported, null, 2)}\n` },
    [...models.warnings, ...agents.warnings],
  );
}

const counted = (models: Listed, agents: Listed): string =>
  `${models.found.length} ${models.found.length === 1 ? 'model' : 'models'} and ${agents.found.length} ${agents.found.length === 1 ? 'agent' : 'agents'}`;

/** An identifier that is gone is reported by its name: what refers to it no longer works. */
function compared(lists: Record<Kind, Listed>, before: JsonObject): Verdict {
  const warnings = KINDS.flatMap((kind) => {
    const was = namedIn(before[kind]);
    const { isThere, found, warnings: own } = lists[kind];
    if (was.length === 0) return [];
    if (!isThere && own.length > 0) return own;
    const there = new Set(found.map(({ id }) => id));
    return was
      .filter(({ id }) => !there.has(id))
      .map(
        ({ id, name }) =>
          `ML Commons: the recorded ${kind.slice(0, -1)} ${name === '' ? id : `"${name}" (${id})`} is gone`,
      );
  });
  const count = KINDS.reduce((sum, kind) => sum + namedIn(before[kind]).length, 0);
  if (count === 0) return ok('no identifiers of ML Commons were recorded');
  const said =
    warnings.length === 0
      ? `each of the ${count} recorded identifiers exists`
      : `not all of the ${count} recorded identifiers were found`;
  return ok(said, undefined, warnings);
}

const namedIn = (list: Json | undefined): readonly Named[] =>
  (Array.isArray(list) ? (list as readonly Json[]) : []).flatMap((one) =>
    isObject(one) ? [{ id: textOf(one['id']), name: textOf(one['name']) }] : [],
  );
