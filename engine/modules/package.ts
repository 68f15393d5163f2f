import { packageState, type PackageState } from '../facts/package.js';
import { packageVersions, type PackageVersions } from '../facts/package-versions.js';
import { service, type ServiceState } from '../facts/service.js';
import type { Outcome } from '../terms/action.js';
import { blocked, ok, type Verdict } from '../terms/change.js';
import { need, type Need } from '../terms/fact.js';
import { defineModule, type At, type Judgement } from '../terms/module.js';
import { packageChange, packageTouches, type PackageArgs } from './package-change.js';
import { hollowSuccess, packageFailure } from './package-failures.js';
import { decideOffered, indexNeeds, type Indexes } from './package-offered.js';
import { compareWanted } from './package-version.js';

/** Which of them are asked hangs on the state. */
interface Asked {
  readonly [name: string]: Need;
  readonly now: Need<PackageState>;
  readonly offered: Need<PackageVersions>;
}

type Units = Readonly<Record<`unit:${string}`, ServiceState>>;

export const packageModule = defineModule<PackageArgs>()({
  name: 'package',
  summary:
    'Install exactly this version of a package, verify it, and keep it held or not; or check that it is offered.',
  needs: ({ name, state, restarts = [] }, at) => {
    const { on } = at.task;
    const asked =
      state === 'offered'
        ? { offered: need(on, packageVersions, name), ...indexNeeds(at) }
        : Object.fromEntries(restarts.map((unit) => [`unit:${unit}`, need(on, service, unit)]));
    return { now: need(on, packageState, name), ...asked } as unknown as Asked;
  },
  touches: (args, at) => (args.state === 'offered' ? [] : packageTouches(args, at)),
  decide(args, found, at) {
    if (args.state !== 'offered') return decideInstalled(args, found.now, found as unknown as Units, at);
    const { now } = found;
    return decideOffered(args, { now, indexes: found as unknown as Indexes, offered: () => found.offered }, at);
  },
  judge: (_args, outcome) => judged(outcome),
});

function decideInstalled(args: PackageArgs, now: PackageState, units: Units, at: At): Verdict {
  const { name, version, hold = now.held, allow_downgrade = false } = args;
  const order = now.installed === null ? 1 : compareWanted(version, now.installed, now.manager);
  const [due, down] = [order !== 0, order < 0];
  if (down && !allow_downgrade)
    return blocked(
      `${name} ${now.installed ?? ''} is installed, newer than ${version}`,
      'a downgrade must be asked for: allow_downgrade: true',
    );
  if (args.conffiles === 'new' && now.manager !== 'apt')
    return blocked(
      'RPM cannot be told to take the new configuration files: which of the two stays is said by the package',
      'leave `conffiles` out; the other file of the two is beside it as `.rpmnew` or `.rpmsave`',
    );
  const broken = now.installed !== null && now.status[1] !== 'i';
  if (!due && !broken && hold === now.held) return ok(`${name} ${now.installed ?? ''} is installed`, now.installed);
  return { is: 'change', change: packageChange(args, { now, units, due, down, broken, hold }, at) };
}

function judged(outcome: Outcome): Judgement {
  if (outcome.is !== 'ended') return { is: 'done' };
  if (outcome.exit === 0) {
    const hollow = hollowSuccess(outcome.stdout);
    return hollow === undefined ? { is: 'done' } : { is: 'failed', ...hollow };
  }
  const printed = `${outcome.stdout}\n${outcome.stderr}`;
  const last = printed.trim().split('\n').slice(-3).join(' | ');
  return {
    is: 'failed',
    ...(packageFailure(printed) ?? { reason: `the package manager ended with status ${outcome.exit}: ${last}` }),
  };
}
