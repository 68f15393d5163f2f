import { content, type FileContent } from '../facts/file.js';
import { pointer } from '../lib/json.js';
import type { Action, Outcome } from '../terms/action.js';
import { blocked, ok, type Verdict } from '../terms/change.js';
import { done, need, type Done } from '../terms/fact.js';
import { defineModule, type At, type Judgement } from '../terms/module.js';
import { judgeAnswer } from './http-answer.js';
import { judgeImport, linesOf } from './saved-objects-answer.js';
import { contentOf } from './text-file.js';
import { timeLimitMs } from './time-limit.js';

/** Mirrors schemas/modules/saved-objects.schema.json. This module knows the dashboard's interface for them (§9.3.5, §9.6.6). */
interface Args {
  readonly endpoint: string;
  readonly state: 'exported' | 'imported';
  readonly path: string;
  readonly types?: readonly string[];
  readonly tenant?: string;
  readonly timeout?: string;
}

const TIMEOUT_MS = 300_000;

export const savedObjects = defineModule<Args>()({
  name: 'saved-objects',
  summary:
    "Export the dashboard's saved objects into a file of the host, or import them from there without overwriting any.",
  needs: ({ path }, { task }) => ({ file: need(task.on, content, path), done: need(task.on, done, '') }),
  touches: ({ state, path }, { task }) => (state === 'exported' ? [need(task.on, content, path)] : []),
  decide: (args, now, at) =>
    args.state === 'exported'
      ? decideExported(args, now.file, now.done, at)
      : decideImported(args, now.file, now.done, at),
  judge: judged,
});

/** The first export stays: after an upgrade that stopped half-way the objects may be other ones. */
function decideExported(args: Args, file: FileContent, before: Done, at: At): Verdict {
  const { path, types = [] } = args;
  if (file !== null)
    return ok(`${linesOf(file.text).length} saved objects are in ${path}`, { objects: linesOf(file.text).length });
  const exported = before.is === 'done' ? textOf(before) : undefined;
  const ref = need(at.task.on, content, path);
  const shared = {
    sign: '+' as const,
    touches: [ref],
    undo: { nothing: 'a copy is in nobody’s way' },
  };
  if (exported === undefined)
    return {
      is: 'change',
      change: {
        ...shared,
        summary: `saved objects → ${path}`,
        actions: [request(args, at, '_export', { json: { type: types, includeReferencesDeep: true } })],
        predicts: [{ ref, unknown: 'which saved objects there are' }],
        left: 1,
      },
    };
  return {
    is: 'change',
    change: {
      ...shared,
      summary: `saved objects → ${path}`,
      actions: [{ do: 'write', path, content: exported, replaces: 'nothing', mode: '0600' }],
      predicts: [{ ref, value: contentOf(Buffer.from(exported)) }],
      left: 0,
    },
  };
}

/** A body of one line is JSON to the journal, and of several lines a text. */
function textOf({ value }: Extract<Done, { is: 'done' }>): string | undefined {
  const text = pointer(value, '/text');
  const json = pointer(value, '/json');
  if (typeof text === 'string') return text;
  return json === undefined || json === null ? undefined : JSON.stringify(json);
}

function decideImported(args: Args, file: FileContent, before: Done, at: At): Verdict {
  if (before.is === 'done') return ok('the saved objects were imported in this run', before.value);
  if (file === null)
    return blocked(`there is no ${args.path}`, 'the export makes it; by hand: Stack Management, Saved Objects, Import');
  const objects = linesOf(file.text).length;
  if (objects === 0) return ok(`${args.path} holds no saved object`);
  const form = { name: 'file', file: 'export.ndjson', text: file.text };
  return {
    is: 'change',
    change: {
      summary: `${objects} saved objects of ${args.path} imported, none overwritten`,
      sign: '↻',
      actions: [request(args, at, '_import?overwrite=false', { form })],
      touches: [],
      predicts: [],
      undo: { nothing: 'only what was missing was put there' },
    },
  };
}

function request(
  { endpoint, tenant, timeout }: Args,
  { task }: At,
  call: string,
  body: Pick<Extract<Action, { do: 'request' }>['request'], 'json' | 'form'>,
): Action {
  return {
    do: 'request',
    request: {
      endpoint,
      ...('host' in task.on ? { node: task.on.host } : {}),
      method: 'POST',
      path: `/api/saved_objects/${call}`,
      headers: { 'osd-xsrf': 'true', ...(tenant === undefined || tenant === '' ? {} : { securitytenant: tenant }) },
      ...body,
      timeoutMs: timeLimitMs(timeout, TIMEOUT_MS),
    },
    expect: { status: [200] },
  };
}

function judged({ endpoint, state }: Args, outcome: Outcome): Judgement {
  const call = `POST /api/saved_objects/${state === 'exported' ? '_export' : '_import'}`;
  const judgement = judgeAnswer(outcome, [200], { endpoint, call });
  return judgement.is !== 'done' || state === 'exported' || outcome.is !== 'answered'
    ? judgement
    : judgeImport(outcome.body);
}
