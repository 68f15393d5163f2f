import { openJournal } from '../../engine/journal/journal.js';
import {
  createModelMachine,
  createModelPlatform,
} from '../../engine/platforms/security-monitoring/simulator/platform.js';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { modules } from '../../engine/cli/platforms.js';
import { foldAll } from '../../engine/journal/fold.js';
import { endView } from '../../engine/report/end/end-view.js';
import { packagesPut } from '../../engine/report/plan/packages-put.js';
import { plannedSteps, type PlannedStep } from '../../engine/report/plan/planned-steps.js';
import { createRun } from '../../engine/run/run.js';
import { outlookOf, withTimes } from '../../engine/cli/plan/outlook.js';
import { rollbackMsOf } from '../../engine/cli/back-out-times.js';
import { createSplitter } from '../../engine/lib/redact.js';
import { findCauses, loadBeside } from '../../engine/cli/run/causes.js';
import { varsBack } from '../../engine/cli/run/previous-version.js';
import type { Project } from '../../engine/language/project.js';
import type { Event } from '../../engine/terms/event.js';
import { nowOn, platform, type Around } from '../playbooks/platform-bench.js';

/** What a failure is made of: the platform's state before the run, or at the moment when a step is about to act. */
export interface Failure {
  readonly before?: (state: PlatformState) => void;
  /** `[HOST, STEP, …]`: as this step begins to act there. */
  readonly at?: readonly [host: string, step: string, breakIt: (state: PlatformState) => void];
  readonly vars?: Readonly<Record<string, string>>;
  readonly around?: Around;
  /** When the maintenance window closes. */
  readonly closes?: string;
}

let plan: Promise<readonly PlannedStep[]> | undefined;
/** What the same upgrade plans where nothing fails. */
const planned = async (): Promise<{ readonly steps: readonly PlannedStep[] }> => ({
  steps: await (plan ??= platform().then(async (stage) => plannedSteps((await stage.run('plan')).recorded))),
});

let rollbackLoaded: Promise<Project | undefined> | undefined;
/** As `runbook rollback` loads it from the record of the upgrade, which is the same for each failure. */
const rollback = (project: Project): Promise<Project | undefined> => (rollbackLoaded ??= loadRollback(project));

const loadRollback = (project: Project): Promise<Project | undefined> => {
  const was = '4.12.0-1';
  const packages = { indexer: was, manager: was, dashboard: was, agent: was, shipper: '7.10.2-1' };
  const names = project.platform.rollback;
  if (names === undefined) throw new Error('the shipped platform names the variables of its rollback');
  const extraVars = varsBack({ run: '', release: '4.12.0', packages }, names);
  return loadBeside({ ...project, extraVars }, 'rollback.yaml');
};

const begins = (event: Event, host: string, step: string): boolean =>
  event.e === 'intent' && event.name === step && 'host' in event.task.on && event.task.on.host === host;

/** The end of a screen of so many columns, from the line that says that the run stopped. */
export type Screen = (width: number) => readonly string[];

/** An upgrade from 4.12.0 on the model that this failure ends. */
export async function failureScreen({ before, at, vars = {}, around = {}, closes }: Failure): Promise<Screen> {
  const stage = await platform({}, (p) => ({ ...p, extraVars: { ...p.extraVars, ...vars } }));
  const { project, state } = stage;
  before?.(state);
  const done = { broken: false };
  const ran = await stage.run('apply', {
    ...around,
    on({ event }) {
      if (at === undefined || done.broken || !begins(event, at[0], at[1])) return;
      done.broken = true;
      at[2](state);
    },
  });
  if (at !== undefined && !done.broken) throw new Error(`no step "${at[1]}" acted on ${at[0]}`);
  const model = createModelPlatform(state);
  const reader = createModelMachine({ inventory: project.inventory, platform: model });
  const journal = openJournal({ nowMs: () => model.clock.nowMs(), past: ran.recorded });
  try {
    const run = createRun(project, modules, { reader, clock: model.clock, journal }, { forks: 50 });
    const events = [...ran.recorded];
    const split = createSplitter(new Map());
    const flags = { forks: 50, json: false };
    const now = await nowOn(project, state, ran.recorded);
    const causes = ran.end === 'failed' ? await findCauses({ run, events, split }, project, flags, now) : [];
    const brought = packagesPut(ran.recorded, foldAll(ran.events)).size > 0;
    const ways = { where: '', backTo: brought ? ['4.12.0'] : [], playbook: 'upgrade-4.14.yaml' };
    const open = { past: ran.recorded, planned: await planned() };
    const window = { closesMs: Date.parse(closes ?? ''), zone: 'Europe/Berlin', nowMs: model.clock.nowMs() };
    const outlook = {
      ...(await withTimes(run, await outlookOf(run, open), open, () => rollback(project))),
      ...(closes === undefined ? {} : { window: { ...window, rollbackMs: rollbackMsOf(project) } }),
    };
    return (width) => {
      const shown = endView(ran.recorded, { color: false, width, ways, causes, now: { ...now, outlook } });
      const lines = shown.replace('test · plan h', '2026-11-21T22-00-00Z · plan 3f9c2a71').split('\n');
      return lines.slice(lines.findLastIndex((line) => /^(?:Stopped|Completed)/.test(line)));
    };
  } finally {
    await reader.close();
  }
}
