import { createRunFolder, findUnfinished, runsOf, type RunCopy, type RunFolder } from '../journal/run-folder.js';
import type { Project } from '../language/project.js';
import { endView } from '../report/end-view.js';
import { count } from '../report/style.js';
import { runAll } from '../run/start.js';
import type { Recorded, Verb } from '../terms/event.js';
import { EXIT, exitOf, invalid } from './exit.js';
import { parseFlags, type Flags } from './flags.js';
import { paperOf } from './paper.js';
import { ask, isAttended } from './person.js';
import { plan } from './plan.js';
import { loadProject } from './project.js';
import { limitOf, openSession, projectHash } from './session.js';

/** `runbook apply PLAYBOOK`: carries it out. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  const project = await loadProject(flags);
  if (typeof project === 'number') return project;
  if (flags.dryRun || flags.listHosts) return plan(project, flags);
  const limit = limitOf(project, flags);
  if (limit !== undefined && 'mistake' in limit) return invalid(limit.mistake);
  const runs = runsOf(project.inventory.files[0]?.file ?? 'inventory.yaml');
  const unfinished = findUnfinished(runs);
  if (unfinished !== undefined) {
    process.stderr.write(`runbook: the run ${unfinished.folder.id} of this inventory is unfinished\n  runbook show      what it did, and what is still in place\n  runbook resume    go on with it\n  runbook release   give its temporary changes back, and close it\n`);
    return EXIT.locked;
  }
  const begin = await mayBegin(project, flags, limit);
  if (begin !== undefined) return begin;
  const folder = createRunFolder(runs, Date.now(), copyOf(project, flags, limit));
  return carryOut({ project, flags, verb: 'apply', folder, ...(limit === undefined ? {} : { limit }) });
}

/** The question whether to begin: the only one that -y answers. */
async function mayBegin(project: Project, flags: Flags, limit: ReadonlySet<string> | undefined): Promise<number | undefined> {
  if (flags.yes) return undefined;
  if (!isAttended()) return invalid('there is no terminal to ask whether to begin; say -y');
  const answer = await ask(`${project.playbook.name}: ${count(limit?.size ?? project.inventory.hosts.length, 'host')}. Begin? [yes/no]`);
  if (answer !== undefined && /^y(es)?$/i.test(answer.trim())) return undefined;
  process.stderr.write('Nothing was changed.\n');
  return EXIT.refused;
}

const copyOf = (project: Project, flags: Flags, limit: ReadonlySet<string> | undefined): RunCopy => ({
  version: 1,
  playbook: project.playbook.files,
  inventory: project.inventory.files,
  cwd: process.cwd(),
  extraVars: project.extraVars,
  ...(limit === undefined ? {} : { limit: [...limit] }),
  ...(flags.tags === undefined ? {} : { tags: [...flags.tags] }),
  ...(flags.skipTags === undefined ? {} : { skipTags: [...flags.skipTags] }),
});

export interface CarryOut {
  readonly project: Project;
  readonly flags: Flags;
  readonly verb: Verb;
  readonly folder: RunFolder;
  readonly limit?: ReadonlySet<string>;
  readonly past?: readonly Recorded[];
}

/** An acting run from its open folder to its exit code. */
export async function carryOut(request: CarryOut): Promise<number> {
  const session = await openSession(request);
  try {
    const end = await runAll(session.run, {
      run: request.folder.id,
      verb: request.verb,
      hash: projectHash(request.project, request.flags),
      inventory: request.project.inventory.files[0]?.file ?? '',
    });
    if (!request.flags.json) process.stdout.write(`${endView(session.events, { ...paperOf(process.stdout), folder: request.folder.path })}\n`);
    return exitOf(end);
  } finally {
    await session.close();
  }
}
