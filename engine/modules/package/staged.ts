import type { PackageState } from '../../facts/package.js';
import type { PackageVersions } from '../../facts/package-versions.js';
import { packageStaged, stagedVersions } from '../../facts/package-staged.js';
import { ok, type Touch, type Verdict } from '../../terms/change.js';
import { need } from '../../terms/fact.js';
import type { At } from '../../terms/module.js';
import { packageCommands } from './commands.js';
import { compareWanted } from './version.js';
import { timeLimitMs } from '../shared/time-limit.js';
import type { PackageArgs } from './schema.js';

const TIMEOUT_MS = 3_600_000;
const LOCK_TIMEOUT_MS = 600_000;

/** What a decision looks at, each only when it comes to it. */
export interface Staging {
  readonly now: PackageState;
  readonly isStaged: () => boolean;
  readonly offered: () => PackageVersions;
}

/**
 * Fetches a package into the package manager's own cache, checked by that manager itself, so that it is installed later without its
 * repository. With `optional` a version that no repository has any more is a warning: a rollback to it is impossible.
 */
export function decideStaged(args: PackageArgs, { now, isStaged, offered }: Staging, at: At): Verdict {
  const { name, version, optional = false } = args;
  const order = now.installed === null ? 1 : compareWanted(version, now.installed, now.manager);
  if (!optional && order === 0) return ok(`${name} ${version} is installed`);
  if (isStaged()) return ok(`${name} ${version} is on the host`);
  if (optional && !offered().some((v) => compareWanted(version, v, now.manager) === 0))
    return ok(`${name} ${version} is not available`, null, [
      `no repository has ${name} ${version} any more: a rollback to it is impossible`,
    ]);
  const { env, stage } = packageCommands[now.manager];
  const argv = stage({
    name,
    version,
    again: order === 0,
    down: order < 0,
    lockTimeoutMs: timeLimitMs(args.lock_timeout, LOCK_TIMEOUT_MS),
  });
  const ref = need(at.task.on, packageStaged, { name, version });
  return {
    is: 'change',
    change: {
      summary: `${name} ${version} fetched, to be installed later`,
      sign: '+',
      actions: [
        {
          do: 'job',
          command: { argv, env, timeoutMs: timeLimitMs(args.timeout, TIMEOUT_MS) },
          expect: { exit: [0] },
        },
      ],
      touches: stagedTouches(args, at),
      predicts: [{ ref, value: true }],
      notConverged: {
        reason: `${name} ${version} is not in the package manager's cache after its download`,
        ...(now.manager === 'apt'
          ? { hint: 'apt does not copy the packages of a `file:` repository: write `copy:` in its place' }
          : {}),
      },
    },
  };
}

export const stagedTouches = ({ name, version }: PackageArgs, { task: { on } }: At): readonly Touch[] => [
  need(on, packageStaged, { name, version }),
  need(on, stagedVersions, name),
];
