import { Type } from 'typebox';
import type { JsonObject } from '../../json.js';
import { requires } from '../requires.js';
import { list, object, ref, spec, text, values, variables } from '../shared.js';
import { stepOrBlock } from './blocks.js';
import { condition } from './condition.js';
import { hosts, last, serial } from './hosts.js';
import { tags, title } from './names.js';

export const entry = Type.Unsafe<JsonObject>({
  description: 'A play, or the import of a playbook.',
  type: 'object',
  if: { required: ['import'] },
  then: { $ref: '#/$defs/import' },
  else: { $ref: '#/$defs/play' },
});

export const playbookImport = object(
  {
    import: text({
      description:
        'The file: searched in the directory of this one, in the working directory, in `./playbooks`, then among the shipped playbooks.',
      examples: ['indexer.yaml'],
    }),
    vars: Type.Optional(
      values({ description: 'Variables for all its plays; they override its own.', examples: [{ wave_size: 50 }] }),
    ),
    tags: Type.Optional(
      ref('tags', tags, { description: 'Tags that are added to all its plays.', examples: [['indexer']] }),
    ),
  },
  { description: 'Includes the plays of another playbook.' },
);

export const play = object(
  {
    play: title({
      description: 'Its name, for headings and for the paths of its steps.',
      examples: ['Upgrade each node'],
    }),
    hosts: Type.Optional(hosts),
    last: Type.Optional(last),
    serial: Type.Optional(serial),
    run_once: Type.Optional(Type.Boolean({ description: 'Only on the first of its hosts.', examples: [true] })),
    when: Type.Optional(
      ref('condition', condition, {
        description:
          'Asked once, before the play, which is skipped where it does not hold; not while a temporary change of it is in place.',
        examples: ['not(indexers_upgraded)'],
      }),
    ),
    requires: Type.Optional(
      requires(
        'Named checks that must hold on each of its hosts before this play changes anything there, whatever `--limit`, `--tags` and `--start-at-step` leave.',
      ),
    ),
    on_host_failure: Type.Optional(
      Type.Enum(['stop', 'continue'], {
        description:
          '`stop`: after a host failed, no further batch or play begins. `continue`: the host is left out, the others continue, and the run ends as failed. A play whose steps all have a `remedy` continues anyway. Its temporary changes are not checked again before each play, and one on a host that cannot be reached does not keep the run open.',
        examples: ['stop', 'continue'],
      }),
    ),
    point_of_no_return: Type.Optional(
      text({
        description: 'What cannot be taken back once this play has begun; the plan shows it.',
        examples: ['an agent that is newer than the server is not managed by it'],
      }),
    ),
    safe_point: Type.Optional(
      Type.Boolean({
        description:
          'A run that is to stop (the first Ctrl-C, `runbook stop`, the end of the window) completes the hosts that it works on, and stops there. Absent: it stops after the current step.',
        examples: [true],
      }),
    ),
    vars: Type.Optional(variables('Variables for its steps.')),
    tags: Type.Optional(
      ref('tags', tags, { description: 'Tags to select plays by (`--tags`, `--skip-tags`).', examples: [['agents']] }),
    ),
    spec: Type.Optional(
      spec({ description: 'The section of the specification; its steps inherit it.', examples: ['9.4.5'] }),
    ),
    steps: list(ref('stepOrBlock', stepOrBlock), {
      description: 'The steps and blocks, in order. The titles of the steps are unique.',
      minItems: 1,
      examples: [[{ step: 'Start the indexer', systemctl: { unit: '{{indexer.service}}', state: 'started' } }]],
    }),
  },
  { description: 'Steps for some hosts.' },
);
