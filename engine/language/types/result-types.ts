import { ANY, commonType, type NameType } from '../../expressions/types.js';
import { isObject } from '../../terms/json.js';
import type { Play, Step } from '../../terms/playbook.js';
import { typeOfValue, type TypeOf } from './value-types.js';

/** The type of `registered.NAME`: what the steps that register it have in common. */
export function registeredTypes(
  plays: readonly Play[],
  name: string,
  typesAt: (play: Play, step: Step) => TypeOf,
): NameType {
  const types = plays.flatMap((play) =>
    play.steps.filter((step) => step.register === name).map((step) => resultType(step, typesAt(play, step))),
  );
  const [first = ANY, ...others] = types;
  return others.reduce(commonType, first);
}

/** The type of a step's value: seen where the module's arguments show it, JSON elsewhere. */
function resultType({ module, args }: Step, typeOf: TypeOf): NameType {
  const recorded = module === 'record' && isObject(args) ? (args['values'] ?? args['measure']) : undefined;
  if (isObject(recorded)) {
    const values = typeOfValue(recorded, typeOf);
    return typeof values === 'string' ? values : { ...values, changed: 'bool' };
  }
  return module === 'command' ? { exit: 'int', stdout: 'string', changed: 'bool' } : ANY;
}
