import { packageState, type PackageState } from '../../facts/package.js';
import { service, type ServiceState } from '../../facts/service.js';
import { evaluate } from '../../language/condition.js';
import { need } from '../../terms/fact.js';
import type { ComponentNow, StateNow } from '../../terms/state-now.js';
import type { Reading } from './facts.js';
import type { Run } from '../run.js';
import { scopeOf } from './scope.js';
import { nameOf, textOf } from './text-of.js';
import { resolveFacts, type FactLookup } from './resolve-facts.js';

const valueIn = (reading: Reading): unknown => ('known' in reading && reading.known ? reading.value : undefined);

/** Asks these hosts and the platform what runs there now. Changes nothing, and keeps nothing of it. */
export async function stateNow(run: Run, known: readonly string[]): Promise<StateNow> {
  const { components, status, wait = [] } = run.project.platform;
  const forget = (): void => {
    run.facts.forgetHosts();
    run.facts.forgetEndpoints();
  };
  forget();
  const found = await resolveFacts(run, (lookup): StateNow => {
    const hosts = known.map((host) => components.flatMap((component) => componentNow(run, host, component, lookup)));
    const asked = hosts.map((all) => all.flatMap(({ now }) => now ?? []));
    return {
      components: asked.flat(),
      away: known.filter((_, i) => (asked[i]?.length ?? 0) < (hosts[i]?.length ?? 0)),
      status: status === undefined ? undefined : textOf(run, status, lookup),
      wait: wait.flatMap(({ when, text }) =>
        evaluate(when, scopeOf(run, {}, lookup, [])).is === true ? (textOf(run, text, lookup) ?? []) : [],
      ),
    };
  });
  forget();
  return found;
}

/** Nothing where the platform has no such package or service; `now` is absent where the host does not answer. */
function componentNow(
  run: Run,
  host: string,
  component: string,
  lookup: FactLookup,
): readonly { readonly now?: ComponentNow }[] {
  const name = nameOf(run, component, 'package', lookup, host);
  const unit = nameOf(run, component, 'service', lookup, host);
  if (name === undefined || unit === undefined) return [];
  const found = valueIn(lookup(need({ host }, packageState, name))) as PackageState | undefined;
  const state = valueIn(lookup(need({ host }, service, unit))) as ServiceState | undefined;
  if (found === undefined) return [{}];
  const { installed, status } = found;
  return [{ now: { host, component, name, unit, installed, status, active: state?.active } }];
}
