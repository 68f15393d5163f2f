import { durationMs } from '../lib/duration.js';
import { nearest } from '../lib/nearest.js';
import type { Condition } from '../terms/condition.js';
import { isObject, type Json, type JsonObject } from '../terms/json.js';
import type { Evidence, OnFailure, Position, Step } from '../terms/playbook.js';
import type { Mistakes } from './mistakes.js';
import { suggest } from './mistakes.js';
import { checkSchema } from './schema-check.js';
import { isTemplated } from './schema-findings.js';
import { defined, flagOf, numberOf, objectOf, textOf, textsOf } from './values.js';
import { modules } from './validators.generated.js';
import type { Path } from './yaml-node.js';
import type { Source } from './yaml-source.js';

/** What a step has from the play around it. */
export interface StepSetting {
  readonly source: Source;
  readonly path: Path;
  /** The play's path. */
  readonly within: string;
  readonly tags: readonly string[];
  readonly spec: string | undefined;
}

/** A step as the engine takes it, from data whose envelope has been checked. Undefined when it has no module to speak of. */
export function buildStep(json: Json, { source, path, within, tags, spec }: StepSetting): Step | undefined {
  const written = objectOf(json);
  const name = textOf(written['step']);
  const module = moduleOf(written);
  if (name === undefined || module === undefined) return undefined;
  return defined({
    path: `${within}/${name}`,
    name,
    module,
    args: written[module] ?? null,
    when: written['when'] as Condition | undefined,
    register: textOf(written['register']),
    tags: [...new Set([...tags, ...textsOf(written['tags'])])],
    vars: objectOf(written['vars']),
    timeoutMs: durationOf(written['timeout']),
    retries: numberOf(written['retries']),
    delayMs: durationOf(written['delay']),
    until: written['until'] as Condition | undefined,
    runOnce: flagOf(written['run_once']) ?? false,
    dryRun: flagOf(written['dry_run']),
    onHost: textOf(written['on']),
    finding: findingOf(written['finding']),
    temporary: temporaryOf(written['temporary']),
    undo: undoOf(written['undo']),
    spec: textOf(written['spec']) ?? spec,
    at: positionOf(source, path),
  });
}

/** The name of the one module that a step, a `temporary` or an `undo` holds. */
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
  return { onFailure: (written['on_failure'] ?? 'keep') as OnFailure, module, args: written[module] ?? null };
}

function findingOf(json: Json | undefined): Step['finding'] {
  const written = objectOf(json);
  const remedy = textOf(written['remedy']);
  if (remedy === undefined) return undefined;
  const evidence = (written['evidence'] ?? []) as readonly Evidence[];
  return defined({ says: textOf(written['says']), remedy, evidence });
}

function undoOf(json: Json | undefined): Step['undo'] {
  const written = objectOf(json);
  const never = textOf(written['never']);
  if (never !== undefined) return { never };
  const nothing = textOf(written['nothing']);
  if (nothing !== undefined) return { nothing };
  const module = moduleOf(written);
  return module === undefined ? undefined : { module, args: written[module] ?? null };
}

const envelopeKeys = [
  'step',
  'when',
  'register',
  'tags',
  'vars',
  'timeout',
  'retries',
  'delay',
  'until',
  'run_once',
  'dry_run',
  'on',
  'finding',
  'temporary',
  'undo',
  'spec',
];

/** Checks which module a step asks for, and its arguments by that module's own schema. */
export async function checkStep(
  json: Json,
  { source, path, about }: { source: Source; path: Path; about: string },
  mistakes: Mistakes,
): Promise<void> {
  if (!isObject(json)) return;
  await checkModuleIn(json, { source, path, about, own: envelopeKeys, needed: true }, mistakes);
  const { temporary, undo } = json;
  if (isObject(temporary)) {
    await checkModuleIn(
      temporary,
      { source, path: [...path, 'temporary'], about: `${about}temporary: `, own: ['on_failure'], needed: true },
      mistakes,
    );
  }
  if (isObject(undo)) {
    const said = Object.hasOwn(undo, 'never') || Object.hasOwn(undo, 'nothing');
    await checkModuleIn(
      undo,
      { source, path: [...path, 'undo'], about: `${about}undo: `, own: ['never', 'nothing'], needed: !said },
      mistakes,
    );
  }
}

/** A step's own key among the arguments: one level too deep. */
const stepKey = (key: string): string | undefined =>
  envelopeKeys.includes(key) ? `"${key}" is the step's: write it beside the module, not inside` : undefined;

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
      hint: suggest(nearest(key, candidates), candidates, named.length > 0 ? 'keys' : 'modules'),
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
      misplaced: stepKey,
    },
    mistakes,
  );
}
