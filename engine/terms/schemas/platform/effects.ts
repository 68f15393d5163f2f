import { Type, type Static } from 'typebox';
import { list, object, text } from '../shared.js';
import { condition } from './condition.js';

const waitEntry = object(
  {
    when: condition({ description: 'When it is shown.', examples: ['fact.health.status == "red"'] }),
    text: text({ description: 'What is shown, with facts.', examples: ['act now: the cluster is red'] }),
  },
  {
    description: 'An entry.',
    examples: [{ when: 'fact.health.status == "red"', text: 'act now: the cluster is red' }],
  },
);

export type WaitEntry = Static<typeof waitEntry>;

export const wait = list(waitEntry, {
  description: 'The consequences of waiting, shown after a failure: the text of the first entry whose condition holds.',
  examples: [[{ when: 'fact.health.status == "red"', text: 'act now: the cluster is red' }]],
});

const permission = object(
  {
    endpoint: text({ description: 'The endpoint.', examples: ['indexer'] }),
    permission: text({ description: 'Its name there.', examples: ['cluster:monitor/*'] }),
    for: text({ description: 'What it is used for.', examples: ['cluster health and node list'] }),
  },
  {
    description: 'A permission.',
    examples: [{ endpoint: 'indexer', permission: 'cluster:monitor/*', for: 'cluster health and node list' }],
  },
);

export type PermissionOf = Static<typeof permission>;

export const permissions = list(permission, {
  description: 'Permissions that the playbooks need from the users of endpoints: `runbook doctor --needs` prints them.',
  examples: [[{ endpoint: 'indexer', permission: 'cluster:monitor/*', for: 'cluster health and node list' }]],
});

const service = object(
  {
    component: text({
      description: 'A group of names with `service`: its unit is watched on every host.',
      examples: ['dashboard'],
    }),
    title: text({ description: 'What its users call it.', examples: ['Dashboard'] }),
    note: Type.Optional(
      text({ description: 'What its downtime means to them.', examples: ['syslog over UDP is lost meanwhile'] }),
    ),
    items: Type.Optional(
      text({
        description:
          'The fact of an endpoint that lists what a module upgrades there, item by item: the first page of a plan shows these upgrades under the title.',
        examples: ['agents'],
      }),
    ),
  },
  { description: 'A service.', examples: [{ component: 'dashboard', title: 'Dashboard' }] },
);

export type DowntimeOf = Static<typeof service>;

export const downtime = list(service, {
  description: 'Services whose downtime the first page of a plan states, in this order.',
  examples: [[{ component: 'dashboard', title: 'Dashboard' }]],
});
