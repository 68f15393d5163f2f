import { http } from '../../../../facts/http.js';
import { showDuration } from '../../../../lib/duration.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { need } from '../../../../terms/fact.js';
import { isObject, type Json, type JsonObject } from '../../../../terms/json.js';
import type { At } from '../../../../terms/module.js';
import type { Answered } from '../../../../modules/shared/http-answer.js';
import { textOf } from '../../../../modules/shared/text-of.js';
import { timeLimitMs } from '../../../../modules/shared/time-limit.js';
import type { SnapshotArgs } from './schema.js';

const DAY_MS = 86_400_000;
const TAKEN_LIMIT_MS = 6 * 3_600_000;
const EVERY_MS = 5_000;

/** Whose snapshots hold all there is: those that this module takes. */
export const PREFIX = 'runbook-';

export const pathsOf = ({ repository }: SnapshotArgs): { readonly repository: string; readonly snapshots: string } => ({
  repository: `/_snapshot/${repository}`,
  snapshots: `/_snapshot/${repository}/_all`,
});

const missing = ({ repository }: SnapshotArgs): Verdict =>
  blocked(
    `there is no snapshot repository ${repository}`,
    'correct its name, or say where it is (snapshot_location) to have it registered; GET /_snapshot lists those that are',
  );

/** Registered at the place that is said, or anywhere where none is said. */
export function decideRegistered(args: SnapshotArgs, answer: Answered): Verdict {
  const { endpoint, repository, location } = args;
  const found = answer.status === 200 && isObject(answer.json) ? answer.json[repository] : undefined;
  if (found === undefined)
    return location === undefined || location === '' ? missing(args) : registering(args, location);
  const settings = isObject(found) && isObject(found['settings']) ? found['settings'] : {};
  const there = textOf(settings['location']);
  if (location !== undefined && location !== '' && there !== '' && there !== location)
    return blocked(
      `the snapshot repository ${repository} is at ${there}, not at ${location}`,
      `name another one, or leave the place out (${endpoint} keeps what is registered)`,
    );
  return ok(`the snapshot repository ${repository} is registered`);
}

function registering(args: SnapshotArgs, location: string): Verdict {
  const { endpoint, repository } = args;
  const paths = pathsOf(args);
  const json = { type: 'fs', settings: { location } };
  const after = { [repository]: json };
  const of = { endpoint };
  const [one, all] = [need(of, http, { path: paths.repository }), need(of, http, { path: paths.snapshots })];
  return {
    is: 'change',
    change: {
      summary: `snapshot repository ${repository} registered at ${location}`,
      sign: '+',
      actions: [
        {
          do: 'request',
          request: { endpoint, method: 'PUT', path: paths.repository, json, timeoutMs: 60_000 },
          expect: { status: [200] },
        },
      ],
      touches: [one, all],
      predicts: [
        { ref: one, value: { is: 'answered', status: 200, json: after, text: JSON.stringify(after) } },
        { ref: all, unknown: `what ${location} holds already` },
      ],
    },
  };
}

/** One that succeeded and is young enough; ours, waited for; or ours, taken unless it is only looked for. */
export function decideTaken(args: SnapshotArgs, answer: Answered, at: At): Verdict {
  if (answer.status === 404) return missing(args);
  const list =
    isObject(answer.json) && Array.isArray(answer.json['snapshots'])
      ? (answer.json['snapshots'] as readonly Json[])
      : [];
  const all = list.flatMap((s) => (isObject(s) ? [s] : []));
  const own = all.find((s) => s['snapshot'] === args.name);
  if (own !== undefined && own['state'] !== 'SUCCESS') return ownVerdict(args, own);
  const maxMs = timeLimitMs(args.max_age, DAY_MS);
  const young = all.find((s) => s === own || (isWhole(s) && at.timeMs - Number(s['end_time_in_millis']) <= maxMs));
  if (young === undefined) return args.state === 'available' ? tooOld(args, maxMs) : taking(args);
  const name = textOf(young['snapshot']);
  const ageMs = Math.max(0, at.timeMs - Number(young['end_time_in_millis']));
  return ok(`snapshot ${name} of ${args.repository} succeeded ${showDuration(ageMs)} ago`, {
    snapshot: name,
    repository: args.repository,
  });
}

const tooOld = ({ repository }: SnapshotArgs, maxMs: number): Verdict =>
  blocked(
    `${repository} has no complete snapshot of the last ${showDuration(maxMs)}`,
    'runbook apply prepare.yaml takes one; or go on without a copy of the data: -e snapshot=none',
  );

/** Everything of it is there: no shard failed, and no index was left out (which only the global state and our own name show). */
const isWhole = (s: JsonObject): boolean =>
  s['state'] === 'SUCCESS' &&
  failedOf(s) === 0 &&
  (s['include_global_state'] === true || textOf(s['snapshot']).startsWith(PREFIX));

const failedOf = (s: JsonObject): number => (isObject(s['shards']) ? Number(s['shards']['failed'] ?? 0) : 0);

function ownVerdict({ repository, timeout }: SnapshotArgs, own: JsonObject): Verdict {
  const name = textOf(own['snapshot']);
  if (own['state'] === 'IN_PROGRESS')
    return {
      is: 'waiting',
      for: `snapshot ${name} to succeed: it is in progress`,
      limitMs: timeLimitMs(timeout, TAKEN_LIMIT_MS),
      everyMs: EVERY_MS,
      failure: { hint: { look: `GET /_snapshot/${repository}/${name}/_status, for how far it is` } },
    };
  const failures = Array.isArray(own['failures']) ? (own['failures'] as readonly Json[]) : [];
  const first = failures.find((f) => isObject(f));
  const why = first === undefined ? '' : `; ${textOf(first['index'])}: ${textOf(first['reason'])}`;
  return blocked(
    `snapshot ${name} is ${textOf(own['state'])}: ${failedOf(own)} shards failed${why}`,
    `fix the cause, delete it (DELETE /_snapshot/${repository}/${name}), then: runbook resume`,
  );
}

function taking(args: SnapshotArgs): Verdict {
  const { endpoint, repository, name = '' } = args;
  const { snapshots } = pathsOf(args);
  const ref = need({ endpoint }, http, { path: snapshots });
  return {
    is: 'change',
    change: {
      // Without its name, which is another one in each run: a plan shows what an apply does.
      summary: `a snapshot of all indices into ${repository}`,
      sign: '+',
      actions: [
        {
          do: 'request',
          request: {
            endpoint,
            method: 'PUT',
            path: `/_snapshot/${repository}/${name}?wait_for_completion=false`,
            json: { include_global_state: true },
            timeoutMs: 60_000,
          },
          expect: { status: [200] },
        },
      ],
      touches: [ref],
      predicts: [{ ref, unknown: 'when the snapshot will be done' }],
    },
  };
}
