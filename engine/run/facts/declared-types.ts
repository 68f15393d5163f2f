import { DeclaredTypes } from '../../language/types/declared-types.js';
import type { Project } from '../../language/project.js';

const found = new WeakMap<Project, DeclaredTypes>();

/** The declared types of a project's names, made once: each evaluation of an expression asks for them. */
export function typesOf(project: Project): DeclaredTypes {
  const before = found.get(project);
  if (before !== undefined) return before;
  const { platform, inventory, extraVars, playbook } = project;
  const made = new DeclaredTypes({ platform, inventory, extraVars, plays: playbook.plays });
  found.set(project, made);
  return made;
}
