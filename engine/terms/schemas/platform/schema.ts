import { Type } from 'typebox';
import { requires } from '../requires.js';
import { byName, duration, list, mapOf, name, object, ref, text, values, variables } from '../shared.js';
import { checks, invariant } from './checks.js';
import { downtime, permissions, wait } from './effects.js';
import { fact } from './fact.js';
import { lease, role } from './roles.js';
import { flags, types } from './variables.js';
import { rollback, sameVersion } from './versions.js';

export const schema = object(
  {
    platform: text({ description: "The platform's name.", examples: ['Security monitoring platform'] }),
    names: Type.Optional(
      byName(values({ description: 'A group.' }), {
        description:
          'Groups of names, read as `{{GROUP.NAME}}`: packages, services, directories, tools. An inventory overrides them under `platform.names`.',
        examples: [{ indexer: { package: 'platform-indexer', service: 'platform-indexer' } }],
      }),
    ),
    roles: byName(ref('role', role), {
      description: 'The roles that hosts can have, and how many hosts may have each.',
      examples: [{ master: { description: 'The server that leads the others.', max: 1, requires: 'server' } }],
    }),
    facts: Type.Optional(
      byName(ref('fact', fact), {
        description: 'Facts read over HTTP or on the current host, as `{{fact.NAME}}`.',
        examples: [
          {
            health: {
              description: 'Cluster health.',
              endpoint: 'indexer',
              path: '/_cluster/health',
              pointer: '/status',
            },
          },
        ],
      }),
    ),
    checks: Type.Optional(checks),
    invariants: Type.Optional(
      list(ref('invariant', invariant), {
        description: 'Conditions that must hold before each host of a serial play of the given roles.',
        examples: [
          [
            {
              invariant: 'cluster not red',
              roles: ['indexer'],
              condition: 'fact.health.status != "red"',
              within: '10m',
            },
          ],
        ],
      }),
    ),
    vars: Type.Optional(variables('Variables with the lowest precedence.')),
    types: Type.Optional(types),
    flags: Type.Optional(flags),
    components: Type.Optional(
      list(name({ description: 'A group of names.', examples: ['indexer'] }), {
        description:
          'Components whose package versions are recorded at the start as `{{previous.NAME}}` and read as `{{installed.NAME}}`: each is a group of `names` with a `package`. One whose group also has a `version` has releases of its own, which a plan does not state as those of the platform.',
        uniqueItems: true,
        examples: [['indexer', 'manager']],
      }),
    ),
    requires: Type.Optional(
      mapOf(
        requires(
          'Named checks that must hold before a play installs another version of this component, in whichever playbook that is.',
        ),
        {
          description: 'Requirements by component: `next.COMPONENT` is the version that the play leads to.',
          propertyNames: { pattern: '^[a-z][a-z0-9_]*$' },
          examples: [{ manager: ['no_manager_above_indexers'] }],
        },
      ),
    ),
    status: Type.Optional(
      text({
        description: 'The state of the platform as a whole, in a short text with facts: shown after a failure.',
        examples: ['cluster {{fact.health.status}}'],
      }),
    ),
    wait: Type.Optional(wait),
    permissions: Type.Optional(permissions),
    downtime: Type.Optional(downtime),
    durations: Type.Optional(
      mapOf(duration({ description: 'A duration.', examples: ['1m'] }), {
        description:
          'How long a step of a module takes on one host, for the estimates of a plan, where no earlier run of the inventory measured that step; `MODULE STATE`: of its steps with this `state`. Default of what is not named: 5s.',
        propertyNames: { pattern: '^[a-z][a-z0-9-_]*( [a-z_]+)?$' },
        examples: [{ package: '1m', 'package staged': '10s' }],
      }),
    ),
    version_example: Type.Optional(
      Type.String({
        description: 'A version of the platform: every target has as many numbers. Default: one to four numbers.',
        pattern: '^\\d+(\\.\\d+){0,3}$',
        examples: ['4.14.7'],
      }),
    ),
    same_version: Type.Optional(sameVersion),
    rollback: Type.Optional(rollback),
    lease: Type.Optional(lease),
  },
  {
    title: 'Platform',
    description:
      'What the engine knows about the platform: roles, names, facts, invariants. It is platform.yaml in the directory of the playbooks.',
    $defs: { role, fact, invariant },
  },
);
