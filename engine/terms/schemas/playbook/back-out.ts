import { Type } from 'typebox';
import { duration, list, object, text } from '../shared.js';

const EXAMPLE = {
  stage: 'afterwards',
  do: 'restore the snapshot',
  takes: '4h',
  data_loss: 'everything since the snapshot',
  requires: ['snapshot_exists'],
};

const stage = object(
  {
    stage: text({ description: 'When it applies.', examples: ['before the first new indexer starts'] }),
    do: text({
      description:
        'What is done then. For a command of runbook (`runbook rollback`) a run leaves time in the maintenance window.',
      examples: ['runbook rollback'],
    }),
    takes: duration({ description: 'How long it takes.', examples: ['25m'] }),
    data_loss: text({ description: 'Which data is lost.', examples: ['none'] }),
    when: Type.Optional(
      text({
        description:
          'A named check: where it does not hold, no rollback of this stage is possible, and its message is shown.',
        examples: ['rollback_supported'],
      }),
    ),
    until: Type.Optional(
      text({
        description: 'A named check: the stage is over once it does not hold any more. Absent: it has no end.',
        examples: ['no_new_indexer'],
      }),
    ),
    requires: list(Type.String({ description: 'A named check.', examples: ['snapshot_exists'] }), {
      description:
        'Named checks: the back-out is promised only where the plan saw that they hold. Else the message of the first that does not is shown.',
      minItems: 1,
      examples: [['snapshot_exists']],
    }),
    snapshots: Type.Optional(
      text({
        description:
          'The fact that lists the snapshots on which it relies, with `snapshot`, `state` and `start_time_in_millis` of each: the page shows the newest.',
        examples: ['snapshots'],
      }),
    ),
  },
  {
    description: 'A stage.',
    examples: [EXAMPLE],
  },
);

export const backOut = list(stage, {
  description:
    'How to go back from each stage of this playbook, as the first page of its plan states it. Of a playbook that is imported it is not used.',
  examples: [[EXAMPLE]],
});
