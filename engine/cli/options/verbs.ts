/** A verb: arguments in, exit code out. */
export interface VerbModule {
  run(argv: readonly string[]): Promise<number>;
}

export const VERBS: Readonly<Record<string, () => Promise<VerbModule>>> = {
  init: () => import('../commands/init.js'),
  doctor: () => import('../commands/doctor.js'),
  validate: () => import('../commands/validate.js'),
  explain: () => import('../commands/explain.js'),
  plan: () => import('../commands/plan.js'),
  approve: () => import('../commands/approve.js'),
  apply: () => import('../commands/apply.js'),
  resume: () => import('../commands/resume.js'),
  rollback: () => import('../commands/rollback.js'),
  close: () => import('../commands/close.js'),
  attach: () => import('../commands/attach.js'),
  stop: () => import('../commands/stop.js'),
  unlock: () => import('../commands/unlock.js'),
  verify: () => import('../commands/verify.js'),
  diagnose: () => import('../commands/diagnose.js'),
  eval: () => import('../commands/eval.js'),
  runs: () => import('../commands/runs.js'),
  show: () => import('../commands/show.js'),
  report: () => import('../commands/report.js'),
  worker: () => import('../commands/worker.js'),
  store: () => import('../commands/store.js'),
  modules: () => import('../commands/modules.js'),
  completion: () => import('../commands/completion.js'),
  bundle: () => import('../commands/bundle.js'),
  model: () => import('../commands/model.js'),
};
