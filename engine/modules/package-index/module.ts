import { packageIndexes, type PackageManager } from '../../facts/package-family.js';
import { packageManager } from '../../facts/package-manager.js';
import type { Action } from '../../terms/action.js';
import { ok, type Verdict } from '../../terms/change.js';
import { done, need, type Done, type FactRef } from '../../terms/fact.js';
import { defineModule, type At } from '../../terms/module.js';
import { judged } from '../package/judged.js';
import { pathTouches } from '../shared/text-file.js';
import { settledBefore } from '../shared/thing-done.js';
import type { Args } from './schema.js';

const TIMEOUT_MS = 600_000;

export const packageIndex = defineModule<Args>()({
  name: 'package-index',
  needs: (_args, { task: { on } }) => ({ done: need(on, done, ''), manager: need(on, packageManager, null) }),
  touches: (_args, at) => Object.values(packageIndexes).flatMap((paths) => refs(paths, at)),
  decide(args, found: { readonly done: Done; readonly manager: PackageManager }, at) {
    // dnf and yum ask what is enabled; apt answers from its index until that is fetched again.
    if (args.state === 'forgotten' && found.manager !== 'apt')
      return ok(`${found.manager} looks at enabled repositories only`);
    return settledBefore(found.done, `the update of ${found.manager}'s index`, true) ?? change(args, found.manager, at);
  },
  judge: ({ optional }, outcome) => (optional === true ? { is: 'done' } : judged(outcome)),
});

function change({ optional }: Args, manager: PackageManager, at: At): Verdict {
  const altered = refs(packageIndexes[manager], at);
  const commands = COMMANDS[manager];
  const actions = commands.map((argv): Action => ({
    do: 'run',
    command: { argv, env: { LC_ALL: 'C' }, timeoutMs: TIMEOUT_MS },
    // 1 and 100 are what dnf and apt end with where a repository does not answer.
    expect: { exit: optional === true ? [0, 1, 100] : [0] },
  }));
  return {
    is: 'change',
    change: {
      summary: commands.at(-1)?.join(' ') ?? '',
      bookkeeping: true,
      sign: '↻',
      actions: actions as [Action, ...Action[]],
      touches: altered,
      predicts: altered.map((ref) => ({ ref, unknown: 'what the repositories offer' })),
    },
  };
}

/** Without expiry dnf and yum take an index of up to two days ago as fresh; yum knows no `--refresh`. */
const rpm = (program: 'dnf' | 'yum'): readonly (readonly [string, ...string[]])[] => [
  [program, 'clean', 'expire-cache'],
  [program, '-y', 'makecache'],
];

const COMMANDS: Readonly<Record<PackageManager, readonly (readonly [string, ...string[]])[]>> = {
  apt: [['apt-get', 'update']],
  dnf: rpm('dnf'),
  yum: rpm('yum'),
};

const refs = (paths: readonly string[], { task: { on } }: At): readonly FactRef[] =>
  paths.flatMap((path) => pathTouches(on, path));
