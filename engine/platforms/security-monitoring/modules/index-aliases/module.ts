import { http, type HttpAnswer } from '../../../../facts/http.js';
import type { Outcome } from '../../../../terms/action.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { need, type FactRef } from '../../../../terms/fact.js';
import { isObject, type Json } from '../../../../terms/json.js';
import { defineModule, type Judgement } from '../../../../terms/module.js';
import { judgeAnswer, readable, short } from '../../../../modules/shared/http-answer.js';
import { textOf } from '../../../../modules/shared/text-of.js';
import type { Args } from './schema.js';

/** An alias and one of its indices: those that dashboards write through have one each, one that is searched through may have several. */
interface Alias {
  readonly alias: string;
  readonly index: string;
}

const aliasesOf = (pattern: string): string => `/_cat/aliases/${pattern}?format=json&h=alias,index&s=alias,index`;
const indicesOf = (pattern: string): string =>
  `/_cat/indices/${pattern}?format=json&h=index&s=index&expand_wildcards=all`;

export const indexAliases = defineModule<Args>()({
  name: 'index-aliases',
  needs: ({ endpoint, pattern }) => ({
    aliases: need({ endpoint }, http, { path: aliasesOf(pattern) }),
    indices: need({ endpoint }, http, { path: indicesOf(pattern) }),
  }),
  touches: (args) => (args.state === 'restored' ? [aliasRef(args)] : []),
  decide(args, now) {
    const aliases = rowsOf(args, now.aliases, aliasesOf(args.pattern));
    if ('is' in aliases) return aliases;
    const there = aliases.rows.map(({ alias, index }) => ({ alias: textOf(alias), index: textOf(index) }));
    if (args.state === 'recorded') return recorded(there);
    const indices = rowsOf(args, now.indices, indicesOf(args.pattern));
    if ('is' in indices) return indices;
    const moved = movedOf(args.before ?? [], there, new Set(indices.rows.map(({ index }) => textOf(index))));
    return args.state === 'compared' ? compared(args, moved, there) : restored(args, moved, there);
  },
  judge: ({ endpoint }, outcome: Outcome): Judgement =>
    judgeAnswer(outcome, [200], { endpoint, call: 'POST /_aliases' }),
});

const aliasRef = ({ endpoint, pattern }: Args): FactRef => need({ endpoint }, http, { path: aliasesOf(pattern) });

type Row = Readonly<Record<string, Json>>;

function rowsOf({ endpoint }: Args, found: HttpAnswer, path: string): { readonly rows: readonly Row[] } | Verdict {
  const answer = readable(found, { endpoint, call: `GET ${path}` });
  if (answer.is !== 'answered') return answer;
  if (answer.status === 404) return { rows: [] };
  if (answer.status !== 200 || !Array.isArray(answer.json))
    return blocked(`${endpoint} answers ${answer.status} to GET ${path}: ${short(answer.text)}`);
  return { rows: (answer.json as readonly Json[]).flatMap((row) => (isObject(row) ? [row] : [])) };
}

const recorded = (aliases: readonly Alias[]): Verdict =>
  ok(aliases.length === 0 ? 'there are no such aliases' : `recorded ${aliases.map(aliasText).join(', ')}`, {
    aliases: aliases as unknown as Json,
    text: `${JSON.stringify(aliases, null, 2)}\n`,
  });

const aliasText = ({ alias, index }: Alias): string => `${alias} → ${index}`;

/** An alias that points elsewhere than before; `isThere`: all its previous indices still exist. */
interface Moved {
  readonly alias: string;
  readonly was: readonly string[];
  readonly to: readonly string[];
  readonly isThere: boolean;
}

const indicesBy = (aliases: readonly Alias[], name: string): readonly string[] =>
  aliases.flatMap(({ alias, index }) => (alias === name ? [index] : [])).sort();

const movedOf = (before: readonly Alias[], now: readonly Alias[], indices: ReadonlySet<string>): readonly Moved[] =>
  [...new Set(before.map(({ alias }) => alias))].flatMap((alias) => {
    const [was, to] = [indicesBy(before, alias), indicesBy(now, alias)];
    const isThere = was.every((index) => indices.has(index));
    return was.join() === to.join() ? [] : [{ alias, was, to, isThere }];
  });

const elsewhere = ({ to }: Moved): string => (to.length === 0 ? 'nothing' : to.join(', '));
const formerly = ({ was }: Moved): string => was.join(', ');

/** What a rollback would do to each, and what it cannot. */
function compared({ before = [] }: Args, moved: readonly Moved[], now: readonly Alias[]): Verdict {
  const lost = moved.filter(({ isThere }) => !isThere);
  const movable = moved.filter(({ isThere }) => isThere);
  return ok(
    moved.length === 0
      ? `each of ${new Set(before.map(({ alias }) => alias)).size} aliases points where it did`
      : `${moved.length} aliases were moved`,
    {
      moved: movable.length,
      lost: lost.map((m) => `${m.alias} → ${formerly(m)} (now ${elsewhere(m)})`).join(', '),
      gone: lost.length,
    },
    [
      ...(before.length === 0 && now.length > 0
        ? [
            `it was not recorded where ${now.map(({ alias }) => alias).join(', ')} pointed before: ${now.map(aliasText).join(', ')} stays so`,
          ]
        : []),
      ...movable.map(
        (m) =>
          `${m.alias} points to ${elsewhere(m)} since it was migrated, and will point to ${formerly(m)} again: what was saved since then stays in ${elsewhere(m)}, unseen; another upgrade begins only once that index is away`,
      ),
    ],
  );
}

/** Removed and added in one call, so that at no time an alias points nowhere or to both. */
function restored(args: Args, moved: readonly Moved[], now: readonly Alias[]): Verdict {
  const due = moved.filter(({ isThere }) => isThere);
  if (due.length === 0) return ok('no alias is to be pointed back');
  const actions = due.flatMap(({ alias, was, to }) => [
    ...to.filter((index) => !was.includes(index)).map((index) => ({ remove: { index, alias } })),
    ...was.filter((index) => !to.includes(index)).map((index) => ({ add: { index, alias } })),
  ]);
  const after = [
    ...now.filter(({ alias }) => !due.some((d) => d.alias === alias)),
    ...due.flatMap(({ alias, was }) => was.map((index) => ({ alias, index }))),
  ].sort((a, b) => (`${a.alias} ${a.index}` < `${b.alias} ${b.index}` ? -1 : 1));
  const ref = aliasRef(args);
  return {
    is: 'change',
    change: {
      summary: due.map((m) => `${m.alias}: ${elsewhere(m)} → ${formerly(m)}`).join(', '),
      sign: '~',
      actions: [
        {
          do: 'request',
          request: { endpoint: args.endpoint, method: 'POST', path: '/_aliases', json: { actions }, timeoutMs: 60_000 },
          expect: { status: [200], at: [{ pointer: '/acknowledged', equals: true }] },
        },
      ],
      touches: [ref],
      predicts: [
        { ref, value: { is: 'answered', status: 200, json: after, text: JSON.stringify(after) } as unknown as Json },
      ],
    },
  };
}
