import { Type } from 'typebox';
import { byName, mapOf, object, ref, variables } from '../shared.js';
import { endpoint } from './endpoints.js';
import { group, host } from './hosts.js';
import { model } from './model.js';
import { platform } from './platform.js';
import { secret } from './secret.js';
import { ssh } from './ssh.js';
import { webhook } from './webhook.js';
import { window } from './window.js';

export const schema = object(
  {
    platform: Type.Optional(platform),
    endpoints: Type.Optional(
      byName(ref('endpoint', endpoint), {
        description: 'HTTP interfaces that steps and facts refer to by name.',
        examples: [{ api: { url: 'https://10.0.0.21:55000', user: 'ops', password: '{{secret.api}}', auth: 'token' } }],
      }),
    ),
    secrets: Type.Optional(
      byName(ref('secret', secret), {
        description: 'Sources of secret values; they are read as `{{secret.NAME}}` and never shown.',
        examples: [{ api: { env: 'RUNBOOK_API_PASSWORD' } }],
      }),
    ),
    ssh: Type.Optional(
      ref('ssh', ssh, {
        description: 'SSH settings; groups and hosts override them key by key.',
        examples: [{ user: 'ops', become: 'sudo' }],
      }),
    ),
    hosts: Type.Optional(
      mapOf(ref('host', host), {
        description:
          'The hosts, by name. `web-[001:200]` is two hundred hosts, whose number is `{{n}}` in their entry.',
        examples: [{ 'indexer-[1:3]': { address: '10.0.0.1{{n}}', roles: ['indexer'] } }],
      }),
    ),
    groups: Type.Optional(
      byName(ref('group', group), {
        description:
          'Groups of hosts with their own variables and ssh settings. A later group overrides an earlier one.',
        examples: [{ berlin: { hosts: ['web-*'], vars: { proxy: 'proxy-b' } } }],
      }),
    ),
    vars: Type.Optional(
      variables(
        'Variables of all hosts. Precedence, lowest first: platform, inventory, groups in order, host, playbook, play, step, `-e`.',
      ),
    ),
    window: Type.Optional(
      ref('window', window, {
        description:
          'The maintenance window: when `apply` and `resume` may take services down. Runs that take none down, `rollback` and `close` are not bound to it.',
        examples: [{ opens: '2026-11-21 22:00', closes: '2026-11-22 02:00', zone: 'Europe/Berlin' }],
      }),
    ),
    approvals: Type.Optional(
      Type.Integer({
        description:
          'How many persons other than its author must approve a plan (`runbook approve PLAN`) before `apply PLAN` runs it; `apply PLAYBOOK` is then refused. Needs a `store` (docs/teams.md). Default: none.',
        minimum: 1,
        maximum: 9,
        examples: [1],
      }),
    ),
    notify: Type.Optional(
      byName(ref('webhook', webhook), {
        description:
          'Webhooks by name: each gets a POST when a run starts, at each phase, when it waits for a person, fails or ends. One that fails never stops a run.',
        examples: [{ pager: { url: '{{secret.pager_url}}', body: { text: '{{text}}' } } }],
      }),
    ),
    model: Type.Optional(
      ref('model', model, {
        description: 'The hosts are an embedded model: a process that holds its state, or a state created for the run.',
        examples: [{ from: '4.12.0' }, { socket: '.demo/model.sock' }],
      }),
    ),
  },
  {
    title: 'Inventory',
    description:
      'Your hosts, their connections, the endpoints, and the sources of secrets. Several files given with -i are merged in order: maps are merged, values and lists are replaced.',
    $defs: { host, group, ssh, secret, endpoint, webhook, window, model },
  },
);
