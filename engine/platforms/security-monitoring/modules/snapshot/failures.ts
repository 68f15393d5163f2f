import type { Outcome } from '../../../../terms/action.js';
import type { Judgement } from '../../../../terms/module.js';
import { judgeAnswer } from '../../../../modules/shared/http-answer.js';
import { pathsOf } from './state.js';
import type { SnapshotArgs } from './schema.js';

type Failed = Extract<Judgement, { is: 'failed' }>;

/** What the indexer says of a repository that it cannot use, first match wins. */
const KNOWN: readonly { readonly text: RegExp; readonly failure: (args: SnapshotArgs) => Omit<Failed, 'is'> }[] = [
  {
    text: /access_denied|AccessDenied|Permission denied/,
    failure: ({ repository, location }) => ({
      reason: `the indexer may not write to the snapshot repository ${repository}${location === undefined || location === '' ? '' : ` at ${location}`}`,
      hint: "give the directory to the indexer's user on every node; it must be one place that all nodes share",
    }),
  },
  {
    text: /doesn't match any of the locations specified by path\.repo|path\.repo setting/,
    failure: ({ location = '' }) => ({
      reason: `${location} is below no path.repo of the indexer`,
      hint: 'name it under path.repo in the configuration of every node and restart them one by one, or take a place that is named there',
    }),
  },
  {
    text: /repository_verification_exception/,
    failure: ({ repository, location = '' }) => ({
      reason: `not every indexer sees the snapshot repository ${repository} at ${location}`,
      hint: 'it must be one place that all nodes share, such as a network file system mounted on each',
    }),
  },
  {
    text: /concurrent_snapshot_execution_exception/,
    failure: () => ({ reason: 'another snapshot is being made', hint: 'wait for its end', retryAfterMs: 30_000 }),
  },
];

/** One message for what a repository lacks (§9.3.1); anything else as any request is judged. */
export function judgeSnapshot(args: SnapshotArgs, outcome: Outcome): Judgement {
  if (outcome.is === 'answered' && outcome.status >= 400) {
    const known = KNOWN.find(({ text }) => text.test(outcome.body));
    if (known !== undefined) return { is: 'failed', ...known.failure(args) };
  }
  const { repository } = pathsOf(args);
  return judgeAnswer(outcome, [200], { endpoint: args.endpoint, call: `PUT ${repository}` });
}
