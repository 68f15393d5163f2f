import { packageState, type PackageState } from '../facts/package.js';
import { service, type ServiceState } from '../facts/service.js';
import { render } from '../language/render.js';
import { need } from '../terms/fact.js';
import type { Reading } from './facts.js';
import type { Run } from './run.js';
import { scopeOf } from './scope.js';
import { think } from './think.js';

/** One component of one host, as the host itself answers now. */
export interface ComponentNow {
  readonly host: string;
  readonly component: string;
  readonly unit: string;
  /** Of the installed package. */
  readonly version: string;
  /** ActiveState of its service; undefined where the host did not answer. */
  readonly active: string | undefined;
}

/** What runs where, for the screen of a failure. */
export interface StateNow {
  readonly components: readonly ComponentNow[];
  /** The platform's own words about its state (`status` of platform.yaml); undefined where it does not answer. */
  readonly status: string | undefined;
}

const valueIn = (reading: Reading): unknown => ('known' in reading && reading.known ? reading.value : undefined);

/** Asks every host that the run reached, and the platform, after a failure. Changes nothing. */
export async function stateNow(run: Run): Promise<StateNow> {
  const { lost, from } = run.journal.state;
  const { components, names, status } = run.project.platform;
  run.facts.forgetHosts();
  run.facts.forgetEndpoints();
  const hosts = [...from.keys()].filter((host) => !lost.has(host));
  return think(run, (peek) => {
    const textOf = (template: string, host?: string): string | undefined => {
      const rendered = render(template, scopeOf(run, host === undefined ? {} : { host }, peek, []));
      return rendered.is === 'value' && typeof rendered.value === 'string' ? rendered.value : undefined;
    };
    const nameOf = (component: string, name: string, host: string): string | undefined =>
      names[component]?.[name] === undefined ? undefined : textOf(`{{${component}.${name}}}`, host);
    const found = hosts.flatMap((host) =>
      components.flatMap((component): readonly ComponentNow[] => {
        const [name, unit] = [nameOf(component, 'package', host), nameOf(component, 'service', host)];
        if (name === undefined || unit === undefined) return [];
        const installed = valueIn(peek(need({ host }, packageState, name))) as PackageState | undefined;
        const state = valueIn(peek(need({ host }, service, unit))) as ServiceState | undefined;
        const version = installed?.installed ?? null;
        return version === null ? [] : [{ host, component, unit, version, active: state?.active }];
      }),
    );
    return { components: found, status: status === undefined ? undefined : textOf(status) };
  });
}
