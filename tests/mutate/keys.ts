/** All that the mutations know of the language of playbooks. Everything else is done on trees of maps, lists and values. */

/** What names a thing, by the key that gives the name. */
export const NAMED: readonly string[] = ['step', 'block', 'play', 'invariant', 'playbook', 'platform'];

/** Read by people, or names that other places repeat: an altered one changes nothing that a host would see. */
export const PROSE: ReadonlySet<string> = new Set([
  ...NAMED,
  ...['import', 'message', 'hint', 'question', 'remedy', 'title', 'description', 'spec', 'register'],
]);

/** A condition: an expression, or a list of them. */
export const CONDITIONS: ReadonlySet<string> = new Set([
  ...['when', 'that', 'condition', 'fail_if', 'accepted', 'rolling', 'anew', 'untouched'],
]);

/** Taken away as a whole only: what is below them is for people. */
export const WHOLE: ReadonlySet<string> = new Set(['evidence']);

export const STEPS = 'steps';
export const PLAYS = 'plays';
/** A step with one of these only looks. */
export const CHECKS: ReadonlySet<string> = new Set(['confirm', 'check', 'wait_for', 'warn']);

/** Of platform.yaml: names and addresses are the platform's; what is checked between hosts and the values of variables are ours. */
export const PLATFORM = 'platform.yaml';
export const PLATFORM_PARTS: ReadonlySet<string> = new Set(['invariants', 'checks', 'requires', 'vars', 'names']);
/** Names by which tests, inventories and hosts agree: of these only lists are shortened. */
export const PLATFORM_LISTS: ReadonlySet<string> = new Set(['names']);
