import { render } from '../language/templates/render.js';
import type { Rendered } from '../language/templates/rendered.js';
import type { AssessedBackOut, AssessedComponent, AssessedSnapshot, Assessment } from '../terms/assessment.js';
import { defined } from '../lib/defined.js';
import { isObject, type Json } from '../terms/json.js';
import type { BackOutStage } from '../terms/playbook.js';
import type { Run } from './run.js';
import { defectOf, defectText } from './task/defect.js';
import { scopeOf } from './facts/scope.js';
import { nameOf, textOf } from './facts/text-of.js';
import { knownOnly, resolveFacts, type FactLookup } from './facts/resolve-facts.js';

/**
 * What the platform says of a plan that was just made: names of packages and services, and how to go back. Only reads. The plan is shown
 * whatever is thrown here: no stage is promised then, and each says why. What is known already names the services, whose downtime the plan shows.
 */
export async function assess(run: Run, backOut: readonly BackOutStage[]): Promise<Assessment> {
  try {
    return await resolveFacts(run, (lookup) => ({
      components: componentsOf(run, lookup),
      backOut: backOut.map((stage) => assessed(run, stage, lookup)),
    }));
  } catch (error) {
    const because = `not known: ${defectText(defectOf(run, 'the back-out', error))}`;
    return {
      components: componentsOf(run, knownOnly(run)),
      backOut: backOut.map((stage) => ({ ...asWritten(stage), because })),
    };
  }
}

const asWritten = ({ stage, do: what, command, takesMs, measured, dataLoss }: BackOutStage): AssessedBackOut => ({
  ...{ stage, do: what, takesMs, dataLoss },
  ...defined({ command, measured }),
});

function componentsOf(run: Run, lookup: FactLookup): readonly AssessedComponent[] {
  const { components, downtime = [] } = run.project.platform;
  const all = [...new Set([...downtime.map(({ component }) => component), ...components])];
  return all.map((name) => {
    const service = downtime.find(({ component }) => component === name);
    const [pack, unit] = [nameOf(run, name, 'package', lookup), nameOf(run, name, 'service', lookup)];
    return {
      name,
      ...(pack === undefined ? {} : { package: pack }),
      ...(unit === undefined ? {} : { unit }),
      ...(service === undefined ? {} : { title: service.title }),
      ...(service?.note === undefined ? {} : { note: service.note }),
      ...(service?.items === undefined ? {} : { items: service.items }),
    };
  });
}

/** Promised only where all that it requires was seen. */
function assessed(run: Run, stage: BackOutStage, lookup: FactLookup): AssessedBackOut {
  const { when, until, requires, snapshots } = stage;
  const scope = scopeOf(run, {}, lookup, []);
  const holds = (name: string): boolean => scope.check?.(name)?.is === true;
  const impossible = when !== undefined && scope.check?.(when)?.is === false;
  const isOver = until !== undefined && scope.check?.(until)?.is === false;
  const missing = (isOver ? [when, until] : [when, ...requires, until]).find(
    (name) => name !== undefined && !holds(name),
  );
  const known = {
    ...asWritten(stage),
    ...(snapshots === undefined ? {} : { snapshot: newestOf(render(`{{fact.${snapshots}}}`, scope)) }),
  };
  if (missing === undefined) return known;
  const { message, description = missing } = run.project.platform.checks[missing] ?? {};
  // A message says what is wrong; of what could not be read it would claim too much.
  const isWrong = scope.check?.(missing)?.is === false;
  const because =
    (message === undefined || !isWrong ? undefined : textOf(run, message, lookup)) ?? `not seen: ${description}`;
  return { ...known, because, ...(impossible ? { impossible } : {}), ...(isOver ? { over: true } : {}) };
}

/** Of the snapshots that a fact lists. */
function newestOf(listed: Rendered): AssessedSnapshot | null {
  const all = listed.is === 'value' && Array.isArray(listed.value) ? (listed.value as readonly Json[]) : [];
  const found = all.flatMap((one): readonly AssessedSnapshot[] => {
    if (!isObject(one)) return [];
    const { snapshot: name, state, start_time_in_millis: atMs } = one;
    return typeof name === 'string' && typeof state === 'string' && typeof atMs === 'number'
      ? [{ name, state, atMs }]
      : [];
  });
  const complete = found.filter(({ state }) => state === 'SUCCESS');
  return (complete.length === 0 ? found : complete).toSorted((a, b) => b.atMs - a.atMs)[0] ?? null;
}
