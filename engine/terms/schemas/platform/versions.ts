import { Type, type Static } from 'typebox';
import { list, name, object, text } from '../shared.js';

export const sameVersion = object(
  {
    components: list(name({ description: 'A component.', examples: ['indexer'] }), {
      description: 'The components.',
      minItems: 1,
      uniqueItems: true,
      examples: [['indexer', 'manager']],
    }),
    spec: text({
      description: 'The section of the specification that requires the same version.',
      examples: ['9.1.1'],
    }),
    failed_spec: text({
      description: 'The section of the specification that forbids to continue after a component failed.',
      examples: ['7'],
    }),
  },
  {
    description:
      'Components that must have the same version on all hosts: `resume --without HOST` is refused for a host with a component that is not at the target, or whose upgrade is not complete.',
    examples: [{ components: ['indexer', 'manager'], spec: '9.1.1', failed_spec: '7' }],
  },
);

export const rollback = object(
  {
    release: name({ description: 'The variable that is set to the release to go back to.', examples: ['rollback_to'] }),
    packages: name({
      description: 'The variable that is set to the package version to go back to, for each component.',
      examples: ['rollback_packages'],
    }),
    minimum: Type.Optional(
      Type.String({
        description: 'The oldest release that a rollback is advised to. The playbook must refuse an older one itself.',
        pattern: '^\\d+(\\.\\d+)*$',
        examples: ['4.12'],
      }),
    ),
  },
  {
    description:
      'What `runbook rollback` gives to the playbook of a rollback, from the record of the last upgrade. Absent: nothing, and it takes no `--to`.',
    examples: [{ release: 'rollback_to', packages: 'rollback_packages', minimum: '4.12' }],
  },
);

export type Rollback = Static<typeof rollback>;
