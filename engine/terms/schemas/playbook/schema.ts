import { Type } from 'typebox';
import { requires } from '../requires.js';
import { list, object, ref, spec, text, variables } from '../shared.js';
import { backOut } from './back-out.js';
import { block, stepImport, stepOrBlock } from './blocks.js';
import { check } from './check.js';
import { condition, expression } from './condition.js';
import { evidence } from './evidence.js';
import { tags } from './names.js';
import { entry, play, playbookImport } from './plays.js';
import { step } from './step.js';
import { temporary } from './temporary.js';

export const schema = object(
  {
    playbook: text({ description: "The playbook's name, for headings.", examples: ['Indexer cluster'] }),
    spec: Type.Optional(
      spec({
        description: 'The section of the specification that it implements; plays and steps inherit it.',
        examples: ['9.4'],
      }),
    ),
    vars: Type.Optional(
      variables(
        'Variables for all plays, read as `{{vars.NAME}}`. The import of this playbook, plays, steps and `-e` override them.',
      ),
    ),
    requires: Type.Optional(
      requires(
        'Named checks that must hold before any of its plays installs another version of a component, whatever the options leave.',
      ),
    ),
    back_out: Type.Optional(backOut),
    plays: Type.Optional(
      list(ref('entry', entry), {
        description: 'Plays and imports of other playbooks, in order.',
        minItems: 1,
        examples: [
          [
            {
              play: 'Upgrade each node',
              hosts: 'indexer',
              serial: 1,
              steps: [{ step: 'Stop the indexer', systemctl: { unit: '{{indexer.service}}', state: 'stopped' } }],
            },
          ],
          [{ import: 'indexer.yaml' }],
        ],
      }),
    ),
    steps: Type.Optional(
      list(ref('stepOrBlock', stepOrBlock), {
        description:
          'Instead of plays: steps that plays and blocks take in with `import`. Such a file is not applied by itself.',
        minItems: 1,
        examples: [[{ step: 'Start the indexer', systemctl: { unit: '{{indexer.service}}', state: 'started' } }]],
      }),
    ),
  },
  {
    title: 'Playbook',
    description:
      'The desired state, in order: plays of steps on hosts. Text may contain templates such as `{{indexer.service}}`.',
    $defs: {
      entry,
      import: playbookImport,
      play,
      step,
      check,
      evidence,
      temporary,
      tags,
      condition,
      stepOrBlock,
      block,
      expression,
      stepImport,
    },
    if: { required: ['steps'] },
    then: { properties: { plays: false, vars: false, back_out: false, requires: false } },
    else: { required: ['plays'] },
    examples: [
      {
        playbook: 'Indexer cluster',
        spec: '9.4',
        plays: [
          {
            play: 'Upgrade each node',
            hosts: 'indexer',
            serial: 1,
            steps: [{ step: 'Stop the indexer', systemctl: { unit: '{{indexer.service}}', state: 'stopped' } }],
          },
        ],
      },
    ],
  },
);
