import type { HttpAnswer } from '../../facts/http.js';
import { pointer, stableStringify, subsetOf } from '../../lib/json.js';
import { blocked, ok, type Verdict } from '../../terms/change.js';
import { done, need, type Done, type Need } from '../../terms/fact.js';
import { defineModule } from '../../terms/module.js';
import { judgeAnswer, readable, short } from '../shared/http-answer.js';
import { askingOf, kindOf, plainHeaders, questionOf, requestOf, statusOf, touchesOf } from './args.js';
import { decideState } from './state.js';
import { settledBefore } from '../shared/thing-done.js';
import type { HttpArgs } from './schema.js';

/** One of the two: a thing done is never read, a state or a reading has no `done`. */
interface Asked {
  readonly [name: string]: Need;
  readonly answer: Need<HttpAnswer>;
  readonly done: Need<Done>;
}

export const http = defineModule<HttpArgs>()({
  name: 'http',
  needs: (args, { task }) =>
    (kindOf(args) === 'done' ? { done: need(task.on, done, '') } : { answer: questionOf(args) }) as unknown as Asked,
  touches: (args) => touchesOf(args),
  alters: ({ changes = [] }) => (typeof changes === 'string' ? [] : changes),
  decide(args, found) {
    if (kindOf(args) === 'done') return decideDone(args, found.done);
    if (plainHeaders(args) === undefined)
      return blocked(
        'a header of a reading holds a secret',
        'let the endpoint of the inventory sign in, or say `done: true`',
      );
    const answer = readable(found.answer, { ...askingOf(args), call: `GET ${args.wanted?.path ?? args.path}` });
    if (answer.is !== 'answered') return answer;
    return kindOf(args) === 'reading' ? decideReading(args, answer) : decideState(args, answer);
  },
  judge: (args, outcome) => judgeAnswer(outcome, statusOf(args), askingOf(args)),
});

function decideReading(args: HttpArgs, { status, json, text }: Extract<HttpAnswer, { is: 'answered' }>): Verdict {
  const call = `GET ${args.path}`;
  if (!statusOf(args).includes(status)) return blocked(`${call} answers ${status}: ${short(text)}`);
  for (const { pointer: at, equals } of args.expect?.at ?? []) {
    const there = pointer(json, at);
    if (there === undefined || !subsetOf(equals, there))
      return blocked(
        `${call}: ${at} is ${there === undefined ? 'absent' : stableStringify(there)}, not ${stableStringify(equals)}`,
      );
  }
  return ok(`${call} answers ${status}`, json ?? text);
}

function decideDone(args: HttpArgs, now: Done): Verdict {
  const { call } = askingOf(args);
  const before = settledBefore(now, call, args.repeatable === true);
  // The engine keeps status and body; what `register` takes is the body.
  if (before?.is === 'ok') return ok(before.because, pointer(before.value, '/json') ?? null);
  if (before !== undefined) return before;
  return {
    is: 'change',
    change: { summary: call, sign: '↻', actions: [requestOf(args)], touches: touchesOf(args), predicts: [] },
  };
}
