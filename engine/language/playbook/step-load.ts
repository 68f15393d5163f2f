import { durationMs } from '../../lib/duration.js';
import { nearest } from '../../lib/nearest.js';
import type { Condition } from '../../terms/condition.js';
import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import type { Block, Evidence, Position, Step } from '../../terms/playbook.js';
import { foreignKey } from './foreign-keys.js';
import type { Mistakes } from '../mistakes.js';
import { suggest } from '../mistakes.js';
import { checkSchema } from '../schema/check.js';
import { isTemplated } from '../schema/findings.js';
import { defined } from '../../lib/defined.js';
import { flagOf, numberOf, objectOf, textOf, textsOf } from '../values.js';
import { checks, modules, ownKeys } from '../validators.generated.js';
import type { Path } from '../yaml/node.js';
import type { Source } from '../yaml/source.js';

/** What a step has from the play around it. */
export interface StepSetting {
  readonly source: Source;
  readonly path: Path;
  /** The play's path. */
  readonly within: string;
  readonly tags: readonly string[];
  readonly spec: string | undefined;
  /** What the imports around it set. */
  readonly vars: JsonObject;
  readonly blocks: readonly Block[];
}

/** A step as the engine takes it, from data whose envelope has been checked. Undefined when it has no module to speak of. */
export function buildStep(
  json: Json,
  { source, path, within, tags, spec, vars, blocks }: StepSetting,
): Step | undefined {
  const written = objectOf(json);
  const key = checkKeyOf(written);
  // A named check's title and texts are filled in once the platform is read (named-checks.ts).
  const check = key === undefined ? undefined : textOf(written[key]);
  const name = textOf(written['step']) ?? check;
  const module = key ?? moduleOf(written);
  if (name === undefined || module === undefined) return undefined;
  return defined({
    path: `${within}/${name}`,
    name,
    id: textOf(written['id']),
    blocks,
    module,
    args: key === undefined ? (written[module] ?? null) : checkArgs(key, name, written),
    check,
    loop: written['loop'],
    when: written['when'] as Condition | undefined,
    register: textOf(written['register']),
    tags: [...new Set([...tags, ...textsOf(written['tags'])])],
    vars: { ...vars, ...objectOf(written['vars']) },
    timeoutMs: durationOf(written['timeout']),
    retries: numberOf(written['retries']),
    runOnce: flagOf(written['run_once']) ?? false,
    failureWarns: key !== 'check' && written['severity'] === 'warning' ? (true as const) : undefined,
    dryRun: flagOf(written['dry_run']),
    remedy: textOf(written['remedy']),
    evidence: written['evidence'] as readonly Evidence[] | undefined,
    temporary: temporaryOf(written['temporary']),
    spec: textOf(written['spec']) ?? spec,
    at: positionOf(source, path),
  });
}

/** Which of `check` and `wait_for` a step has; each is evaluated by the module of its name. */
const checkKeyOf = (written: JsonObject): string | undefined =>
  Object.keys(checks).find((key) => Object.hasOwn(written, key));

/** What is checked, by its name or as the step has it, and the step's own keys for it. */
function checkArgs(key: string, title: string, written: JsonObject): Json {
  const own = written[key];
  const what = isObject(own) ? own : { that: own };
  if (key === 'wait_for') return defined({ ...what, timeout: written['timeout'] });
  return defined({ message: defaultMessage(title), ...what, severity: written['severity'] });
}

/** The message of a check that has none of its own: `check failed: Nodes are in one cluster`. The module adds which condition is not met. */
export const defaultMessage = (title: string): string => `check failed: ${title}`;

/** The name of the one module that a step or a `temporary` holds. */
export const moduleOf = (written: JsonObject): string | undefined =>
  Object.keys(written).find((key) => Object.hasOwn(modules, key));

export const positionOf = (source: Source, path: Path): Position => {
  const { line, column } = source.place(path, 'value');
  return { file: source.file, line, column };
};

const durationOf = (value: Json | undefined): number | undefined =>
  typeof value === 'string' ? durationMs(value) : undefined;

function temporaryOf(json: Json | undefined): Step['temporary'] {
  const written = objectOf(json);
  const module = moduleOf(written);
  if (module === undefined) return undefined;
  return defined({
    noRestoreAfter: textOf(written['no_restore_after']),
    restoredBy: textOf(written['restored_by']),
    module,
    args: written[module] ?? null,
  });
}

/** Checks which module a step asks for, and its arguments by that module's own schema. */
export async function checkStep(json: Json, { source, path, about }: StepPlace, mistakes: Mistakes): Promise<void> {
  if (!isObject(json)) return;
  const needed = checkKeyOf(json) === undefined;
  await checkModuleIn(json, { source, path, about, own: ownKeys.step, needed }, mistakes);
  checkForm(json, { source, path, about }, mistakes);
  const { temporary } = json;
  if (isObject(temporary)) {
    await checkModuleIn(
      temporary,
      { source, path: [...path, 'temporary'], about: `${about}temporary: `, own: ownKeys.temporary, needed: true },
      mistakes,
    );
  }
}

/** The named checks of a platform in which a module stands for the condition: each has one of the two. */
export async function checkLooks(named: JsonObject, source: Source, mistakes: Mistakes): Promise<void> {
  for (const [name, json] of Object.entries(named)) {
    if (!isObject(json)) continue;
    const [path, about] = [['checks', name], `check "${name}": `];
    const own = Object.keys(json).filter((key) => !Object.hasOwn(modules, key));
    await checkModuleIn(json, { source, path, about, own, needed: false }, mistakes);
    const module = moduleOf(json);
    if ((module === undefined) !== Object.hasOwn(json, 'that'))
      mistakes.at({ source, path, on: 'key' }, `${about}it needs a condition (\`that\`) or a module, and not both`);
    else if (module === undefined && Object.hasOwn(json, 'when'))
      mistakes.at({ source, path: [...path, 'when'], on: 'key' }, `${about}"when" stands beside a module`, {
        hint: 'write it into `that`',
      });
  }
}

/** A step does one thing: it has one module, or one check. What belongs to the other kind is refused. */
function checkForm(json: JsonObject, { source, path, about }: StepPlace, mistakes: Mistakes): void {
  const has = (key: string): boolean => Object.hasOwn(json, key);
  const wrong = (key: string, message: string, hint: string): void =>
    mistakes.at({ source, path: [...path, key], on: 'key' }, about + message, { hint });
  const module = moduleOf(json);
  const check = checkKeyOf(json);
  const isNamed = check !== undefined && typeof json[check] === 'string';
  if (!has('step') && !isNamed && !has('name'))
    mistakes.at({ source, path, on: 'value' }, `${about}needs "step": its title`);
  if (check !== undefined && module !== undefined)
    wrong(module, `a step with "${check}" has no module of its own`, 'make two steps of it');
  if (has('check') && has('wait_for')) wrong('wait_for', '"check" and "wait_for" in one step', 'make two steps of it');
  if (isObject(json['check']) && Object.hasOwn(json['check'], 'fail_if'))
    mistakes.at({ source, path: [...path, 'check', 'fail_if'], on: 'key' }, `${about}"fail_if" is for a "wait_for"`, {
      hint: 'a `check` does not wait: remove it, or write `wait_for`',
    });
  for (const [key, of] of Object.entries(OF_OTHERS))
    if (has(key) && !has(of)) wrong(key, `"${key}" is for a step with "${of}"`, 'remove it');
  if (textOf(json['severity'])?.includes('{{') === true && !has('check'))
    wrong('severity', 'only "check" takes a template as its "severity"', 'write `error` or `warning`');
  if (has('loop') && has('register'))
    wrong('register', '"register" has no place beside "loop"', 'each element has a result of its own');
  if (textOf(json['timeout'])?.includes('{{') === true && !has('wait_for'))
    wrong('timeout', 'only "wait_for" takes a template as its "timeout"', 'write a duration, as 5m');
}

/** Keys of steps that belong to another key. */
const OF_OTHERS: Readonly<Record<string, string>> = { evidence: 'remedy' };

interface StepPlace {
  readonly source: Source;
  readonly path: Path;
  readonly about: string;
}

/** A step's own key among the arguments: one level too deep. */
export const stepKey = (key: string, holder = 'the module'): string | undefined =>
  ownKeys.step.includes(key) ? `"${key}" is the step's: write it beside ${holder}, not inside` : undefined;

interface ModuleHolder {
  readonly source: Source;
  readonly path: Path;
  readonly about: string;
  readonly own: readonly string[];
  readonly needed: boolean;
}

async function checkModuleIn(
  holder: JsonObject,
  { source, path, about, own, needed }: ModuleHolder,
  mistakes: Mistakes,
): Promise<void> {
  const keys = Object.keys(holder);
  const named = keys.filter((key) => Object.hasOwn(modules, key));
  const unknown = keys.filter((key) => !own.includes(key) && !Object.hasOwn(modules, key));
  for (const key of unknown) {
    const candidates = named.length > 0 ? own : [...Object.keys(modules), ...own];
    const message = named.length > 0 ? `unknown key "${key}"` : `there is no module "${key}"`;
    mistakes.at({ source, path: [...path, key], on: 'key' }, about + message, {
      hint: foreignKey(key) ?? suggest(nearest(key, candidates), candidates, named.length > 0 ? 'keys' : 'modules'),
    });
  }
  const [module, second] = named;
  if (second !== undefined) {
    mistakes.at(
      { source, path: [...path, second], on: 'key' },
      `${about}names two modules, ${module ?? ''} and ${second}`,
      { hint: 'one step, one module: make two of it' },
    );
  } else if (module === undefined && needed && unknown.length === 0) {
    mistakes.at({ source, path, on: 'value' }, `${about}names no module`, {
      hint: 'such as `systemctl: { unit: …, state: started }`',
    });
  }
  for (const name of named)
    await checkModuleArgs(holder[name] ?? null, { module: name, source, path: [...path, name], about }, mistakes);
}

interface ArgsPlace {
  readonly module: string;
  readonly source: Source;
  readonly path: Path;
  readonly about: string;
}

async function checkModuleArgs(
  args: Json,
  { module, source, path, about }: ArgsPlace,
  mistakes: Mistakes,
): Promise<void> {
  const check = modules[module];
  if (check === undefined) return;
  const schema = `modules/${module}.schema.json`;
  await checkSchema(
    {
      check,
      schema,
      source,
      data: args,
      base: path,
      open: isTemplated,
      title: (at) => (at.length === 0 ? module : undefined),
      about: () => about,
      misplaced: (key) => stepKey(key),
    },
    mistakes,
  );
}
