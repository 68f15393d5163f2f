import { Type } from 'typebox';
import { hintOfCheck, object, orText, ref, text } from '../shared.js';
import { condition } from './condition.js';

export const check = orText(
  object(
    {
      that: ref('condition', condition, { description: 'What must hold.', examples: ['platform.target >= "4.12"'] }),
      message: Type.Optional(
        text({
          description:
            'What is reported when it does not hold. Text with templates; what is not known then is `(unknown)` in it. Default: `check failed: ` and the title of the step.',
          examples: ['{{host.name}} is not at {{platform.target}}'],
        }),
      ),
      hint: Type.Optional(hintOfCheck),
      fail_if: Type.Optional(
        ref('condition', condition, {
          description: 'Of a `wait_for`: the wait ends early when this holds in 10 readings in a row.',
          examples: ['fact.indexer_unit in ["failed", "inactive"]'],
        }),
      ),
    },
    {
      description: 'The name of a check of the platform, or a check of one step: a map.',
      pattern: '^[a-z][a-z0-9_]*$',
      examples: [
        'single_cluster',
        { that: 'platform.target >= "4.12"', message: '{{platform.target}} is not supported' },
      ],
    },
  ),
);
