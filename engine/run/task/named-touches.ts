import { render } from '../../language/templates/render.js';
import type { Touch } from '../../terms/change.js';
import type { Json } from '../../terms/json.js';
import { scopeOf } from '../facts/scope.js';
import { knownOnly, withReads } from '../facts/resolve-facts.js';
import type { Run } from '../run.js';
import type { TaskAt } from './decide.js';

/** In a plan: what a step is said to alter by names of the platform file, as the questions that these facts ask and the endpoints. */
export function namedTouches(run: Run, { module, step, position }: TaskAt, args: Json | undefined): readonly Touch[] {
  const names = args === undefined ? [] : (module.alters?.(args) ?? []);
  return names.flatMap((name): readonly Touch[] => {
    const [scope, ...rest] = name.split('.');
    if (scope === 'endpoint') return [{ of: { endpoint: rest.join('.') }, everything: true }];
    const { reads } = withReads(knownOnly(run), (lookup) =>
      render(`{{${name}}}`, scopeOf(run, { ...position, step }, lookup, [])),
    );
    return reads;
  });
}
