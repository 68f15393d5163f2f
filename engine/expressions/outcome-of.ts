import type { ASTNode } from '@marcbachmann/cel-js';
import { getOrCreate } from '../lib/get-or-create.js';
import type { At } from './at.js';
import { call } from './call.js';
import { compareNodes } from './compare.js';
import { withoutHidden } from './hidden.js';
import { namedCheck, pathOf, resolve } from './names.js';
import { listOf, ofTruth } from './between.js';
import { sourceOf } from './place.js';
import { value, wrong, type Outcome, type Value } from './value.js';

/** What a node comes to. */
export const outcomeOf = (node: ASTNode, at: At): Outcome => getOrCreate(at.outcomes, node, () => evaluated(node, at));

function evaluated(node: ASTNode, at: At): Outcome {
  const path = pathOf(node);
  if (path !== undefined) {
    const truth = namedCheck(path, at);
    return truth === undefined ? withoutHidden(resolve(path, at.scope, at.locals), node, at) : ofTruth(truth);
  }
  switch (node.op) {
    case 'value':
      return literal(node.args);
    case 'list':
      return listOf(node.args.map((one) => at.outcomeOf(one, at)));
    case 'call':
    case 'rcall':
      return call(node, at);
    case '&&':
    case '||':
    case '!_':
      return ofTruth(at.truthOf(node, at));
    case '?:': {
      const condition = at.truthOf(node.args[0], at);
      const [yes, no] = [at.outcomeOf(node.args[1], at), at.outcomeOf(node.args[2], at)];
      return condition.is === 'unknown' ? ofTruth(condition) : condition.is ? yes : no;
    }
    case '-_': {
      const of = at.outcomeOf(node.args, at);
      return of.is === 'value' && typeof of.value === 'number'
        ? value(-of.value)
        : of.is === 'value'
          ? wrong('only a number has a minus')
          : of;
    }
    case 'id':
    case '.':
    case '[]':
    case 'map':
    case '.?':
    case '[?]':
      return wrong(`${sourceOf(node)} is not supported here`);
    default:
      return withoutHidden(
        compareNodes(node, at.outcomeOf(node.args[0], at), at.outcomeOf(node.args[1], at)),
        node,
        at,
      );
  }
}

function literal(v: unknown): Outcome {
  if (typeof v === 'bigint')
    return v >= Number.MIN_SAFE_INTEGER && v <= Number.MAX_SAFE_INTEGER
      ? value(Number(v))
      : wrong(`${v} is too large a number`);
  if (v === null || ['string', 'number', 'boolean'].includes(typeof v)) return value(v as Value);
  return wrong('bytes and unsigned numbers are not supported');
}
