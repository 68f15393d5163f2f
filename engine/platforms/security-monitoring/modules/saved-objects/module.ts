import { tree, type FileTree } from '../../../../facts/file.js';
import { http, type HttpAnswer } from '../../../../facts/http.js';
import type { Action, Outcome } from '../../../../terms/action.js';
import { done, items, need, type Done, type Items, type Need } from '../../../../terms/fact.js';
import { defineModule, type Judgement } from '../../../../terms/module.js';
import { judgeAnswer } from '../../../../modules/shared/http-answer.js';
import { judgeExport, judgeImport, LESS } from './answer.js';
import { decideExported } from './export.js';
import { decideImported } from './import.js';
import { TENANTS } from './tenants.js';
import type { SavedObjectsArgs } from './schema.js';

/** `listed` only where the step does not name the tenants. */
type Asked = {
  readonly files: Need<FileTree>;
  readonly items: Need<Items>;
  readonly done: Need<Done>;
  readonly listed?: Need<HttpAnswer>;
};

/** This module knows the dashboard's interface for them, and the security plug-in's list of tenants (§9.3.5, §9.6.6). */
export const savedObjects = defineModule<SavedObjectsArgs>()({
  name: 'saved-objects',
  conditions: ['force'],
  needs: ({ state, directory, tenants = [], listed_by: by }, { task }): Asked => ({
    files: need(task.on, tree, directory),
    items: need(task.on, items, ''),
    done: need(task.on, done, ''),
    ...(state === 'imported' || by === undefined || tenants.length > 0
      ? {}
      : { listed: need({ endpoint: by }, http, { path: TENANTS }) }),
  }),
  touches: ({ state, directory }, { task }) => (state === 'exported' ? [need(task.on, tree, directory)] : []),
  decide: (args, now, at, more) =>
    args.state === 'exported' ? decideExported(args, now, at, more) : decideImported(args, now, at, more),
  judge: judged,
});

function judged({ endpoint, state }: SavedObjectsArgs, outcome: Outcome, action?: Action): Judgement {
  const call = `POST /api/saved_objects/${state === 'exported' ? '_export' : '_import'}`;
  const judgement = judgeAnswer(outcome, [200], { endpoint, call });
  if (outcome.is !== 'answered') return judgement;
  // It exports so many objects at most, too, and says so.
  if (judgement.is === 'failed' && outcome.status === 400) return { ...judgement, hint: LESS };
  if (judgement.is !== 'done') return judgement;
  if (state === 'imported') return judgeImport(outcome.body);
  const [tenant = ''] = action !== undefined && 'items' in action ? (action.items ?? []) : [];
  return judgeExport(tenant, outcome.body);
}
