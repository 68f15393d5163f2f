import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A package, where it is and where it belongs in a copy of the program. */
export interface Dependency {
  readonly from: string;
  readonly to: string;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** All packages that the program in this directory needs to run, found as Node finds them; an optional one may be missing. */
export function dependenciesOf(root: string): readonly Dependency[] {
  const found = new Map<string, Dependency>();
  const visit = (directory: string): void => {
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(path.join(directory, 'package.json'), 'utf8'),
    ) as Manifest;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const from = resolve(directory, name);
      if (from === undefined && Object.hasOwn(optionalDependencies, name)) continue;
      if (from === undefined) throw new Error(`the package ${name}, which ${directory} needs, is not installed`);
      if (found.has(from)) continue;
      const inside = path.relative(root, from);
      // Beside the program, as after a local installation, or below it.
      found.set(from, { from, to: inside.startsWith('..') ? path.join('node_modules', name) : inside });
      visit(from);
    }
  };
  visit(path.resolve(root));
  return [...found.values()];
}

function resolve(directory: string, name: string): string | undefined {
  const candidate = path.join(directory, 'node_modules', name);
  if (existsSync(path.join(candidate, 'package.json'))) return candidate;
  const above = path.dirname(directory);
  return above === directory ? undefined : resolve(above, name);
}
