import type { Project } from '../../language/project.js';
import { runsOfProject } from '../options/project.js';
import { rollbackPlaybook } from '../options/rollback-playbooks.js';
import { loadBeside } from './causes.js';
import { previousVersions, varsBack } from './previous-version.js';

/** What `runbook rollback` would plan for an unfinished run; undefined where it first needs to be told more. */
export async function rollbackOf(project: Project): Promise<Project | undefined> {
  const { components, rollback } = project.platform;
  const found = previousVersions(runsOfProject(project), components);
  const playbook = rollbackPlaybook(undefined);
  if (rollback === undefined || found === undefined || 'releases' in found || typeof playbook !== 'string')
    return undefined;
  return loadBeside({ ...project, extraVars: varsBack(found, rollback) }, playbook);
}
