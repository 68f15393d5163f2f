import { planView } from '../report/plan-view.js';
import { runAll } from '../run/start.js';
import type { Project } from '../language/project.js';
import { EXIT, exitOf, invalid } from './exit.js';
import { parseFlags, type Flags } from './flags.js';
import { listHosts } from './list-hosts.js';
import { paperOf } from './paper.js';
import { loadProject } from './project.js';
import { limitOf, openSession, projectHash } from './session.js';

/** `runbook plan PLAYBOOK`: what would be done, read from the hosts, which are not changed. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  const project = await loadProject(flags);
  return typeof project === 'number' ? project : plan(project, flags);
}

export async function plan(project: Project, flags: Flags): Promise<number> {
  const limit = limitOf(project, flags);
  if (limit !== undefined && 'mistake' in limit) return invalid(limit.mistake);
  if (flags.listHosts) return listHosts(project, limit);
  const session = await openSession({ project, flags, verb: 'plan', ...(limit === undefined ? {} : { limit }) });
  try {
    const hash = projectHash(project, flags);
    const end = await runAll(session.run, { run: `plan-${hash.slice(0, 8)}`, verb: 'plan', hash, inventory: project.inventory.files[0]?.file ?? '' });
    if (!flags.json) process.stdout.write(`${planView(session.events, { ...paperOf(process.stdout), diff: flags.diff, verbose: flags.verbosity > 0 })}\n`);
    return end === 'failed' ? EXIT.refused : exitOf(end);
  } finally {
    await session.close();
  }
}
