import { Type } from 'typebox';
import type { Condition } from '../../condition.js';

export const expression = Type.String({ description: 'An expression.', examples: ['fact.health.status == "green"'] });

export const condition = Type.Unsafe<Condition>({
  description:
    'An expression (CEL), or a list of expressions that must all hold. A value that is not known yet makes it neither true nor false where it matters.',
  type: ['boolean', 'string', 'array'],
  items: { $ref: '#/$defs/expression' },
  minItems: 1,
  examples: ['installed.indexer != platform.target', ['fact.health.status == "green"', 'fact.unit == "active"']],
});
