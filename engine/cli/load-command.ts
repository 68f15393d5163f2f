import type { CommandName } from './options/commands.js';

/** Arguments in, exit code out. */
interface CommandModule {
  run(argv: readonly string[]): Promise<number>;
}

/** The file of each command, which is read when it is called. */
export const COMMAND_MODULES: Readonly<Record<CommandName, () => Promise<CommandModule>>> = {
  init: () => import('./commands/init.js'),
  doctor: () => import('./commands/doctor.js'),
  validate: () => import('./commands/validate.js'),
  explain: () => import('./commands/explain.js'),
  plan: () => import('./commands/plan.js'),
  approve: () => import('./commands/approve.js'),
  apply: () => import('./commands/apply.js'),
  resume: () => import('./commands/resume.js'),
  close: () => import('./commands/close.js'),
  rollback: () => import('./commands/rollback.js'),
  attach: () => import('./commands/attach.js'),
  stop: () => import('./commands/stop.js'),
  unlock: () => import('./commands/unlock.js'),
  eval: () => import('./commands/eval.js'),
  diagnose: () => import('./commands/diagnose.js'),
  verify: () => import('./commands/verify.js'),
  runs: () => import('./commands/runs.js'),
  show: () => import('./commands/show.js'),
  report: () => import('./commands/report.js'),
  worker: () => import('./commands/worker.js'),
  store: () => import('./commands/store.js'),
  modules: () => import('./commands/modules.js'),
  completion: () => import('./commands/completion.js'),
  bundle: () => import('./commands/bundle.js'),
  model: () => import('./commands/model.js'),
};
