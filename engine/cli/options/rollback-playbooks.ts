import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { didYouMean } from './did-you-mean.js';
import { shippedDir } from './project.js';

/** Rolls back all components. */
const WHOLE = 'rollback.yaml';
/** Rolls back one component, or one group of them. */
const PART = /^rollback-([\w-]+)\.yaml$/;

/** The playbook of a rollback, beside the platform.yaml of the project at hand; or why there is none. */
export function rollbackPlaybook(component: string | undefined): string | { readonly mistake: string } {
  const names = directories().flatMap((directory) => readdirSync(directory));
  const parts = [...new Set(names.flatMap((name) => PART.exec(name)?.[1] ?? []))].sort();
  if (component === undefined)
    return names.includes(WHOLE) ? WHOLE : { mistake: `this platform has no ${WHOLE} beside its platform.yaml` };
  if (parts.includes(component)) return `rollback-${component}.yaml`;
  if (parts.length === 0) return { mistake: 'this platform has no rollback-NAME.yaml of one component' };
  return { mistake: `unknown component "${component}"${didYouMean(component, parts)}; use ${parts.join(', ')}` };
}

/** Of a rollback of all components; one of a part is no back-out of a whole upgrade. */
export const isWholeRollback = (file: string): boolean => path.basename(file) === WHOLE;

/** May `rollback` be advised after a run of this platform.yaml? Not where the command would take another platform's playbook. */
export const hasRollback = (platformFile: string): boolean =>
  path.resolve(directories().at(-1) ?? '') === path.dirname(platformFile) &&
  existsSync(path.join(path.dirname(platformFile), WHOLE));

/** Where playbooks are looked for, up to the directory of the platform: those behind it are of another one. */
function directories(): readonly string[] {
  const all = ['.', 'playbooks', shippedDir()].filter((directory) => existsSync(directory));
  return all.slice(0, all.findIndex((directory) => existsSync(path.join(directory, 'platform.yaml'))) + 1);
}
