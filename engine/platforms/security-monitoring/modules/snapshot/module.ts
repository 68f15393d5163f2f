import { http, type HttpAnswer } from '../../../../facts/http.js';
import { blocked, type Verdict } from '../../../../terms/change.js';
import { need } from '../../../../terms/fact.js';
import { defineModule, type At } from '../../../../terms/module.js';
import { readable, type Answered } from '../../../../modules/shared/http-answer.js';
import { decideRegistered, decideTaken, pathsOf } from './state.js';
import { judgeSnapshot } from './failures.js';
import type { SnapshotArgs } from './schema.js';

export const snapshot = defineModule<SnapshotArgs>()({
  name: 'snapshot',
  needs: (args) => ({
    repository: need({ endpoint: args.endpoint }, http, { path: pathsOf(args).repository }),
    snapshots: need({ endpoint: args.endpoint }, http, { path: pathsOf(args).snapshots }),
  }),
  touches: (args) => {
    const of = { endpoint: args.endpoint };
    return args.state === 'registered'
      ? [need(of, http, { path: pathsOf(args).repository }), need(of, http, { path: pathsOf(args).snapshots })]
      : [need(of, http, { path: pathsOf(args).snapshots })];
  },
  decide(args, now, at) {
    const registered = args.state === 'registered';
    const path = registered ? pathsOf(args).repository : pathsOf(args).snapshots;
    const answer = readable(registered ? now.repository : now.snapshots, {
      endpoint: args.endpoint,
      call: `GET ${path}`,
    });
    return 'status' in answer
      ? decided(args, answer, at)
      : permissionOf(answer, registered ? now.repository : now.snapshots);
  },
  judge: judgeSnapshot,
});

function decided(args: SnapshotArgs, answer: Answered, at: At): Verdict {
  if (answer.status !== 200 && answer.status !== 404)
    return blocked(
      `${args.endpoint} answers ${answer.status} when asked for the snapshot repository ${args.repository}`,
      'see GET /_snapshot, and the log of the elected indexer',
    );
  return args.state === 'registered' ? decideRegistered(args, answer) : decideTaken(args, answer, at);
}

/** Whoever may not see repositories may not take snapshots either: said as what it is. */
const permissionOf = (verdict: Verdict, answer: HttpAnswer): Verdict =>
  answer.is === 'answered' && answer.status === 403 && verdict.is === 'blocked'
    ? blocked(
        verdict.reason,
        'the user of this endpoint needs the permission cluster:admin/snapshot (role snapshot_management, or manage_snapshots)',
      )
    : verdict;
