import { Type } from 'typebox';
import type { Json } from '../../json.js';
import { list, name, object, ref, spec, text, variables } from '../shared.js';
import { check } from './check.js';
import { condition } from './condition.js';
import { evidence } from './evidence.js';
import { stepId, tags, title } from './names.js';
import { temporary } from './temporary.js';

/** The build adds the modules. */
export const step = object(
  {
    step: Type.Optional(
      title({
        description:
          "Its title: what is done. Unique in its play, because a resume finds the step by it. A check has the check's description by default.",
        examples: ['Stop the indexer'],
      }),
    ),
    id: Type.Optional(
      stepId({
        description:
          'The name by which other steps refer to this one (`no_restore_after`). Unique in the playbook and its imports.',
        examples: ['indexer_stopped'],
      }),
    ),
    check: Type.Optional(
      ref('check', check, {
        description: 'What must hold now: a named check of the platform, or a check of this step alone.',
        examples: ['single_cluster', { that: 'installed.indexer == platform.target' }],
      }),
    ),
    wait_for: Type.Optional(
      ref('check', check, {
        description:
          'The same, waited for up to `timeout` (10m). It is read again every 2 seconds, and warns once after a minute, or after a tenth of the `timeout` where that is longer.',
        examples: ['node_rejoined', { that: 'installed.indexer == platform.target' }],
      }),
    ),
    severity: Type.Optional(
      Type.String({
        description:
          'What a failure of the step is: `error`, or `warning`, which is reported, and the run continues. A host that cannot be reached is always an error. Of a `check` a template may stand for it. Default: `error`.',
        pattern: '^(error|warning|.*\\{\\{.*)$',
        examples: ['warning', 'error'],
      }),
    ),
    when: Type.Optional(
      ref('condition', condition, {
        description: 'Run the step only where this holds.',
        examples: ['previous.manager < "4.13"'],
      }),
    ),
    loop: Type.Optional(
      Type.Unsafe<string | readonly Json[]>({
        description:
          'Do the step for each element of this list, which is `item` in it: a list, or a name that holds one, also `fact.NAME` and `registered.NAME`.',
        type: ['array', 'string'],
        minItems: 1,
        items: true,
        examples: [['indexer', 'server'], '{{platform.timers}}'],
      }),
    ),
    register: Type.Optional(
      name({ description: "Stores the step's value as `{{registered.NAME}}` for later steps.", examples: ['health'] }),
    ),
    tags: Type.Optional(ref('tags', tags, { description: 'Tags to select steps by.', examples: [['checks']] })),
    vars: Type.Optional(variables('Variables for this step only.')),
    timeout: Type.Optional(
      Type.String({
        description: 'The maximum total time. Of a `wait_for` it may be a template.',
        pattern: '^(([0-9]+(\\.[0-9]+)?(ms|[smhd]))+|.*\\{\\{.*)$',
        examples: ['5m', '90s'],
      }),
    ),
    retries: Type.Optional(
      Type.Integer({
        description: 'The number of retries after a failure, with a pause of 10s before each.',
        minimum: 0,
        maximum: 1000,
        examples: [3],
      }),
    ),
    run_once: Type.Optional(Type.Boolean({ description: 'On the first host of the play only.', examples: [true] })),
    dry_run: Type.Optional(
      Type.Boolean({
        description:
          'Compute what the step would change, and change nothing: it fails where that cannot be computed. For a change that a later step makes.',
        examples: [true],
      }),
    ),
    remedy: Type.Optional(
      text({
        description:
          'What to do about what the step finds: a command, a playbook, or a question for the operator. A step with a remedy only reads, in an apply too; what is not as wanted is reported as a finding, and stops nothing.',
        examples: ['restart it, after a look at its journal: runbook apply restart-dashboard.yaml'],
      }),
    ),
    evidence: Type.Optional(
      list(ref('evidence', evidence), {
        description:
          'The observed values that are reported with a finding. A value that is not known is left out; text that may contain a password is hidden.',
        minItems: 1,
        examples: [['{{fact.dashboard_journal}}']],
      }),
    ),
    temporary: Type.Optional(
      ref('temporary', temporary, {
        description: 'The change of this step is temporary: it is restored as described here.',
        examples: [{ no_restore_after: 'indexer_stopped', file: { path: '/etc/motd', state: 'absent' } }],
      }),
    ),
    spec: Type.Optional(
      spec({
        description:
          "The item of the specification that the step implements: a section, a numbered item or a row's slug (docs/specification.md).",
        examples: ['9.4.5'],
      }),
    ),
  },
  { description: 'One desired state, one action or one check, with its title.' },
);
