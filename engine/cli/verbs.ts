/** A verb: arguments in, exit code out. */
export interface VerbModule {
  run(argv: readonly string[]): Promise<number>;
}

export const VERBS: Readonly<Record<string, () => Promise<VerbModule>>> = {
  init: () => import('./init.js'),
  doctor: () => import('./doctor.js'),
  validate: () => import('./validate.js'),
  explain: () => import('./explain.js'),
  plan: () => import('./plan.js'),
  apply: () => import('./apply.js'),
  resume: () => import('./resume.js'),
  rollback: () => import('./rollback.js'),
  close: () => import('./close.js'),
  attach: () => import('./attach.js'),
  stop: () => import('./stop.js'),
  unlock: () => import('./unlock.js'),
  verify: () => import('./verify.js'),
  diagnose: () => import('./diagnose.js'),
  eval: () => import('./eval.js'),
  runs: () => import('./runs.js'),
  show: () => import('./show.js'),
  report: () => import('./report.js'),
  modules: () => import('./modules.js'),
  completion: () => import('./completion.js'),
  bundle: () => import('./bundle.js'),
  model: () => import('./model.js'),
};
