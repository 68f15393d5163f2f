import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal, type Journal } from '../journal/journal.js';
import type { RunFolder } from '../journal/run-folder.js';
import type { Project } from '../language/project.js';
import { limitHosts } from '../language/selector.js';
import { sha256 } from '../lib/hash.js';
import { stableStringify } from '../lib/json.js';
import { createFleet } from '../machines/fleet.js';
import { createSecrets } from '../machines/secrets.js';
import { modules } from '../modules/index.js';
import { createProgress } from '../report/live.js';
import type { Recorded, Verb } from '../terms/event.js';
import type { Json } from '../terms/json.js';
import type { Clock, Fleet } from '../terms/machine.js';
import { createRun, type Run, type RunOptions } from '../run/run.js';
import type { Flags } from './flags.js';
import { paperOf } from './paper.js';
import { ask, askHidden, isAttended, watchInterrupts } from './person.js';

/** A run with its doors open, its events kept, and what must be closed after it. */
export interface Session {
  readonly run: Run;
  readonly journal: Journal;
  readonly events: Recorded[];
  close(): Promise<void>;
}

export interface SessionRequest {
  readonly project: Project;
  readonly flags: Flags;
  readonly verb: Verb;
  readonly limit?: ReadonlySet<string>;
  /** Where an acting run keeps its journal; a plan has none and cannot act. */
  readonly folder?: RunFolder;
  readonly past?: readonly Recorded[];
}

export async function openSession(request: SessionRequest): Promise<Session> {
  const { project, flags, folder } = request;
  const secrets = createSecrets({ sources: project.inventory.secrets, env: process.env, ask: askHidden });
  const fleet: Fleet & { readonly clock: Clock } = await createFleet({
    inventory: project.inventory,
    secrets,
    ask: askHidden,
    cacheDir: folder?.path ?? join(tmpdir(), `runbook-${process.getuid?.() ?? 'user'}`),
    askBecomePassword: flags.askBecomePass,
  });
  const events: Recorded[] = [...(request.past ?? [])];
  const journal = openJournal({
    nowMs: () => fleet.clock.nowMs(),
    redact: (text) => secrets.redact(text),
    ...(folder === undefined ? {} : { file: folder.journalFile, blobs: folder.blobs }),
    ...(request.past === undefined ? {} : { past: request.past }),
  });
  journal.subscribe((recorded) => events.push(recorded));
  const sinks = await openSinks(journal, request);
  const interrupts = watchInterrupts();
  const run = createRun(
    project,
    modules,
    {
      reader: fleet.reader,
      ...(folder === undefined ? {} : { actor: fleet.actor }),
      clock: fleet.clock,
      journal,
      ...(isAttended() ? { askPerson: (question: string) => ask(`${question} [yes/no]`) } : {}),
      stopping: interrupts.stopping,
      signal: interrupts.signal,
    },
    optionsOf(flags, request.limit),
  );
  return {
    run,
    journal,
    events,
    async close() {
      interrupts.end();
      await sinks.close();
      journal.close();
      await fleet.close();
    },
  };
}

const optionsOf = (flags: Flags, limit: ReadonlySet<string> | undefined): RunOptions => ({
  forks: flags.forks,
  ...(limit === undefined ? {} : { limit }),
  ...(flags.tags === undefined ? {} : { tags: flags.tags }),
  ...(flags.skipTags === undefined ? {} : { skipTags: flags.skipTags }),
});

/** Who listens: NDJSON on standard output with `--json`, else the progress on standard error; the log beside the journal. */
async function openSinks(journal: Journal, { flags, folder, verb }: SessionRequest): Promise<{ close(): Promise<void> }> {
  if (flags.json) {
    process.stdout.write(`${JSON.stringify({ format: 'runbook-events', version: 1, verb })}\n`);
    journal.subscribe((recorded) => void process.stdout.write(`${JSON.stringify(recorded)}\n`));
  }
  const progress =
    flags.json || verb === 'plan'
      ? undefined
      : createProgress({ write: (text) => void process.stderr.write(text), isTerminal: process.stderr.isTTY }, paperOf(process.stderr), flags.verbosity);
  if (progress !== undefined) journal.subscribe(progress.on);
  if (folder === undefined) return { close: () => Promise.resolve(progress?.end()) };
  const { createLog } = await import('../report/log.js');
  const log = await createLog(join(folder.path, 'run.log'));
  journal.subscribe(log.on);
  return {
    async close() {
      progress?.end();
      await log.close();
    },
  };
}

/** The hosts of `--limit`, or one sentence. */
export function limitOf(project: Project, flags: Flags): ReadonlySet<string> | undefined | { readonly mistake: string } {
  if (flags.limit === undefined) return undefined;
  const limited = limitHosts(flags.limit, project.inventory.hosts);
  if (limited.ok) return new Set(limited.hosts);
  return { mistake: `${limited.message}${limited.hint === undefined ? '' : `; ${limited.hint}`}` };
}

/** Binds what a run is told: playbooks, inventory, variables, limit. */
export const projectHash = (project: Project, flags: Flags): string =>
  sha256(stableStringify({ files: [...project.playbook.files, ...project.inventory.files].map((f) => f.text), vars: project.extraVars, limit: flags.limit ?? null } as unknown as Json));

