import { Type } from 'typebox';
import type { JsonObject } from '../../json.js';
import { list, object, ref, spec, text, values } from '../shared.js';
import { condition } from './condition.js';
import { tags, title } from './names.js';

export const stepOrBlock = Type.Unsafe<JsonObject>({
  description: 'A step, a block of steps, or an import of steps.',
  type: 'object',
  if: { required: ['block'] },
  then: { $ref: '#/$defs/block' },
  else: { if: { required: ['import'] }, then: { $ref: '#/$defs/stepImport' }, else: { $ref: '#/$defs/step' } },
});

export const block = object(
  {
    block: title({
      description: 'Its title.',
      examples: ['Replace the package'],
    }),
    when: Type.Optional(
      ref('condition', condition, {
        description:
          'Asked once on each host, when the first step of the block begins there. A resume keeps the answer once the block has changed something.',
        examples: ['not(indexer_current)'],
      }),
    ),
    tags: Type.Optional(
      ref('tags', tags, { description: 'Tags that are added to its steps.', examples: [['checks']] }),
    ),
    spec: Type.Optional(
      spec({ description: 'The section of the specification; its steps inherit it.', examples: ['9.4.5'] }),
    ),
    steps: list(ref('stepOrBlock', stepOrBlock), {
      description: 'The steps and blocks, in order.',
      minItems: 1,
      examples: [[{ step: 'Start the indexer', systemctl: { unit: '{{indexer.service}}', state: 'started' } }]],
    }),
  },
  { description: 'Steps under one condition.' },
);

export const stepImport = object(
  {
    import: text({
      description: 'A file with `steps`, searched as the file of a play is.',
      examples: ['steps/enable-allocation.yaml'],
    }),
    when: Type.Optional(
      ref('condition', condition, { description: 'As that of a block.', examples: ['not(indexer_current)'] }),
    ),
    vars: Type.Optional(values({ description: 'Variables for all its steps.', examples: [{ wave_size: 50 }] })),
    tags: Type.Optional(
      ref('tags', tags, { description: 'Tags that are added to its steps.', examples: [['checks']] }),
    ),
  },
  { description: 'Includes the steps of another file, as a block of its own.' },
);
