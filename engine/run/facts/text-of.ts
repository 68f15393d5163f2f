import { render } from '../../language/templates/render.js';
import type { Run } from '../run.js';
import { scopeOf } from './scope.js';
import type { FactLookup } from './resolve-facts.js';

/** A template of the platform as it reads now, on a host where one is given; undefined where a name in it is not known. */
export function textOf(run: Run, template: string, lookup: FactLookup, host?: string): string | undefined {
  const rendered = render(template, scopeOf(run, host === undefined ? {} : { host }, lookup, []));
  return rendered.is === 'value' && typeof rendered.value === 'string' ? rendered.value : undefined;
}

/** A name of a component, such as its package; undefined where the platform gives it none. */
export const nameOf = (
  run: Run,
  component: string,
  name: string,
  lookup: FactLookup,
  host?: string,
): string | undefined =>
  run.project.platform.names[component]?.[name] === undefined
    ? undefined
    : textOf(run, `{{${component}.${name}}}`, lookup, host);
