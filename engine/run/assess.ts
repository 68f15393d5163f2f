import type { AssessedBackOut, AssessedComponent, Assessment } from '../terms/assessment.js';
import type { BackOutStage } from '../terms/playbook.js';
import type { Run } from './run.js';
import { scopeOf } from './scope.js';
import { nameOf, textOf } from './text-of.js';
import { think, type Peek } from './think.js';

/** What the platform says of a plan that was just made: names of packages and services, and how to go back. Only reads. */
export async function assess(run: Run): Promise<Assessment> {
  const { backOut = [] } = run.project.playbook;
  return think(run, (peek) => ({
    components: componentsOf(run, peek),
    backOut: backOut.map((stage) => assessed(run, stage, peek)),
  }));
}

function componentsOf(run: Run, peek: Peek): readonly AssessedComponent[] {
  const { components, downtime = [] } = run.project.platform;
  const all = [...new Set([...downtime.map(({ component }) => component), ...components])];
  return all.map((name) => {
    const told = downtime.find(({ component }) => component === name);
    const [pack, unit] = [nameOf(run, name, 'package', peek), nameOf(run, name, 'service', peek)];
    return {
      name,
      ...(pack === undefined ? {} : { package: pack }),
      ...(unit === undefined ? {} : { unit }),
      ...(told === undefined ? {} : { title: told.title }),
      ...(told?.note === undefined ? {} : { note: told.note }),
    };
  });
}

/** Promised only where all that it requires was seen. */
function assessed(
  run: Run,
  { stage, do: what, takesMs, dataLoss, requires }: BackOutStage,
  peek: Peek,
): AssessedBackOut {
  const scope = scopeOf(run, {}, peek, []);
  const missing = requires.find((name) => scope.check?.(name)?.is !== true);
  if (missing === undefined) return { stage, do: what, takesMs, dataLoss };
  const { message, description = missing } = run.project.platform.checks[missing] ?? {};
  const because = (message === undefined ? undefined : textOf(run, message, peek)) ?? `not seen: ${description}`;
  return { stage, do: what, takesMs, dataLoss, because };
}
