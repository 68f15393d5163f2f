import { checkArgs } from '../../language/validate/args.js';
import { evaluate } from '../../language/condition.js';
import { render, renderShown } from '../../language/templates/render.js';
import type { Scope } from '../../language/templates/rendered.js';
import type { Touch } from '../../terms/change.js';
import type { Condition, Truth } from '../../terms/condition.js';
import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import type { AnyModule } from '../../terms/module.js';
import type { Step } from '../../terms/playbook.js';
import type { Due } from '../../terms/event.js';
import type { TaskId } from '../../terms/task.js';
import { blockedBy } from './blocks.js';
import { failedBy, type Undecided } from './decision.js';
import type { Run } from '../run.js';
import { scopeOf, type Failure } from '../facts/scope.js';
import { subjectOf, type Position } from '../position.js';
import { resolveFacts, type FactLookup } from '../facts/resolve-facts.js';

/** A step on a host: its arguments, or why there are none. */
export type Bound = { readonly is: 'bound'; readonly args: Json } | Undecided;

/**
 * Evaluates the step's `when` and renders its arguments for the host at hand. Pure but for `lookup`. A task that was `begun` is due
 * whatever its `when` says now: its own effect may have made it false. `forTexts` reads what is only shown.
 */
export function bind(
  run: Run,
  step: Step,
  position: Position,
  lookup: FactLookup,
  { begun = false, forTexts = lookup }: { readonly begun?: boolean; readonly forTexts?: FactLookup } = {},
): Bound {
  const failures: Failure[] = [];
  const scope = scopeOf(run, { ...position, step }, lookup, failures);
  const truth = begun ? undefined : truthOf(run, step, position, lookup, scope);
  if (truth?.is === false) return skipBy(truth);
  const args = renderArgs(run, step.module, step.args, scope, () => scopeOf(run, { ...position, step }, forTexts, []));
  const failure = failures[0];
  if (truth?.is === 'unknown') {
    if (failure !== undefined) return unreadBy(failure, position);
    return { ...truth, ...(args.is === 'bound' ? { args: args.args } : {}) };
  }
  const hangsOnFacts = args.is === 'unknown' || (args.is === 'bound' && hasUnknownTruth(run, step.module, args.args));
  return hangsOnFacts && failure !== undefined ? unreadBy(failure, position) : args;
}

/** A module that finds something else than it works on (a directory in place of a file) fails for certain; a condition only does not know. */
const unreadBy = (failure: Failure, position: Position): Undecided => ({
  ...failedBy(failure, subjectOf(position)),
  ...(failure.why === 'unreadable' ? { unread: true as const } : {}),
});

/** A look ahead reads no reason, and it is long to make. */
const skipBy = (truth: Truth): Extract<Bound, { is: 'skip' }> => ({
  is: 'skip',
  get because() {
    return truth.because;
  },
});

/** The conditions of the blocks around a step, then its own. */
function truthOf(
  run: Run,
  step: Step,
  position: Position,
  lookup: FactLookup,
  scope: ReturnType<typeof scopeOf>,
): Truth | undefined {
  const outside = blockedBy(run, step, position, lookup);
  if (outside?.is === false || step.when === undefined) return outside;
  const own = evaluate(step.when, scope);
  return own.is === false ? own : (outside ?? own);
}

/** The conditions around a step and its own as they hold here, each with the values that it read. */
export const whyDue = (run: Run, step: Step, position: Position): Promise<readonly Due[]> =>
  resolveFacts(run, (lookup) => {
    const scope = scopeOf(run, { ...position, step }, lookup, []);
    const conditions = [
      ['play', position.play?.when] as const,
      ...step.blocks.map(({ when }) => ['block', when] as const),
      ['step', step.when] as const,
    ];
    return conditions.flatMap(([of, when]) => {
      const truth = when === undefined ? undefined : evaluate(when, scope);
      return truth?.is === true ? [{ of, because: truth.because }] : [];
    });
  });

const hasUnknownTruth = (run: Run, moduleName: string, args: Json): boolean =>
  isObject(args) &&
  (run.modules.get(moduleName)?.conditions ?? []).some(
    (key: string) => (args[key] as Truth | undefined)?.is === 'unknown',
  );

/** Renders arguments; those that the module calls conditions are evaluated to a Truth instead, and those that are only shown wait until they are. */
export function renderArgs(
  run: Run,
  moduleName: string,
  args: Json,
  scope: ReturnType<typeof scopeOf>,
  texts: () => Scope = () => scope,
): Bound {
  const { conditions = [], shown = [] }: { conditions?: readonly string[]; shown?: readonly string[] } =
    run.modules.get(moduleName) ?? {};
  const truths: Record<string, Truth> = {};
  let [plain, raw, later]: [Json, JsonObject, JsonObject] = [args, {}, {}];
  if (isObject(args) && conditions.length + shown.length > 0) {
    [raw, later] = [pick(args, [...conditions, ...shown]), pick(args, shown)];
    plain = Object.fromEntries(Object.entries(args).filter(([key]) => !Object.hasOwn(raw, key)));
    for (const key of conditions) if (args[key] !== undefined) truths[key] = evaluate(args[key] as Condition, scope);
  }
  const rendered = render(plain, scope);
  if (rendered.is === 'wrong') return { is: 'failed', reason: rendered.message };
  if (rendered.is === 'unknown') return { is: 'unknown', because: rendered.because, dependsOn: rendered.dependsOn };
  const { value } = rendered;
  const mistakes = checkArgs(moduleName, isObject(value) ? { ...value, ...raw } : value);
  if (mistakes.length > 0) return { is: 'failed', reason: mistakes.join('; ') };
  return { is: 'bound', args: isObject(value) ? withTexts({ ...value, ...truths } as Json, later, texts) : value };
}

/** The arguments with these, each of which is rendered once it is read: what is not shown asks nothing. */
function withTexts(args: Json, written: Readonly<Record<string, Json>>, scope: () => Scope): Json {
  for (const [key, text] of Object.entries(written))
    Object.defineProperty(args, key, { get: () => shownIn(text, scope()), enumerable: true });
  return args;
}

/** A message is a text; a hint may be a map of texts. */
function shownIn(written: Json, scope: Scope): Json {
  if (typeof written === 'string') return renderShown(written, scope);
  if (!isObject(written)) return written;
  return Object.fromEntries(Object.entries(written).map(([key, text]) => [key, shownIn(text, scope)]));
}

const pick = (args: Readonly<Record<string, Json>>, keys: readonly string[]): Record<string, Json> =>
  Object.fromEntries(Object.entries(args).filter(([key]) => keys.includes(key)));

export const taskOf = (step: Step, position: Position): TaskId => ({ step: step.path, on: subjectOf(position) });

/** What an undecided step would touch: by its module where its arguments are known, else everything of where it acts, unless it only looks. */
export function touchesOf(module: AnyModule, task: TaskId, args: Json | undefined, timeMs: number): readonly Touch[] {
  if (module.onlyLooks === true) return [];
  return args === undefined ? [{ of: task.on, everything: true }] : module.touches(args, { task, timeMs });
}
