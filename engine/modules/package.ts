import { packageState, type PackageState } from '../facts/package.js';
import { service, type ServiceState } from '../facts/service.js';
import type { Outcome } from '../terms/action.js';
import { blocked, ok } from '../terms/change.js';
import { need, type Need } from '../terms/fact.js';
import { defineModule, type Judgement } from '../terms/module.js';
import { packageChange, packageTouches, type PackageArgs } from './package-change.js';
import { packageFailure } from './package-failures.js';
import { compareWanted } from './package-version.js';

type Asked = { readonly now: Need<PackageState> } & Readonly<Record<`unit:${string}`, Need<ServiceState>>>;

export const packageModule = defineModule<PackageArgs>()({
  name: 'package',
  summary: 'Install exactly this version of a package, verify it, and keep it held or not.',
  needs: ({ name, restarts = [] }, { task }): Asked => ({
    now: need(task.on, packageState, name),
    ...Object.fromEntries(restarts.map((unit) => [`unit:${unit}` as const, need(task.on, service, unit)])),
  }),
  touches: (args, at) => packageTouches(args, at),
  decide(args, found, at) {
    const { now } = found;
    const { name, version, hold = now.held, allow_downgrade = false } = args;
    const due = now.installed === null || compareWanted(version, now.installed) !== 0;
    const down = now.installed !== null && compareWanted(version, now.installed) < 0;
    if (down && !allow_downgrade)
      return blocked(
        `${name} ${now.installed} is installed, newer than ${version}`,
        'a downgrade must be asked for: allow_downgrade: true',
      );
    const broken = now.installed !== null && now.status[1] !== 'i';
    if (!due && !broken && hold === now.held) return ok(`${name} ${now.installed} is installed`, now.installed);
    return { is: 'change', change: packageChange(args, { now, units: found, due, down, broken, hold }, at) };
  },
  judge: (_args, outcome) => judged(outcome),
});

function judged(outcome: Outcome): Judgement {
  if (outcome.is !== 'ended' || outcome.exit === 0) return { is: 'done' };
  const printed = `${outcome.stdout}\n${outcome.stderr}`;
  const last = printed.trim().split('\n').slice(-3).join(' | ');
  return {
    is: 'failed',
    ...(packageFailure(printed) ?? { reason: `the package manager ended with status ${outcome.exit}: ${last}` }),
  };
}
