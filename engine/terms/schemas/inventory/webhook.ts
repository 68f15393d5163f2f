import { Type } from 'typebox';
import { WEBHOOK_EVENTS } from '../../inventory.js';
import type { JsonObject } from '../../json.js';
import { list, object } from '../shared.js';

export const webhook = object(
  {
    url: Type.String({
      description: 'Its address, or the secret that holds the whole address. Redirects are not followed.',
      pattern: '^(?:https?://[^\\s{}@]+|\\{\\{ *secret\\.[A-Za-z_][A-Za-z0-9_-]* *\\}\\})$',
      examples: ['{{secret.pager_url}}', 'https://hooks.example.com/runbook'],
    }),
    on: Type.Optional(
      list(
        Type.Enum(WEBHOOK_EVENTS, {
          description:
            '`start`, before and after each phase (`phase-start`, `phase-end`), `waiting` for a person, `failure`, or `end`, which is every other end.',
          examples: ['failure'],
        }),
        {
          description: 'When it is called. Default: always.',
          minItems: 1,
          uniqueItems: true,
          examples: [['start', 'failure', 'end']],
        },
      ),
    ),
    body: Type.Optional(
      Type.Unsafe<JsonObject>({
        description:
          'The JSON that is sent. In its texts `{{event}}`, `{{text}}`, `{{run}}`, `{{playbook}}`, `{{phase}}`, `{{by}}` and `{{ticket}}` are replaced. Default: `{ text: "{{text}}" }`.',
        type: 'object',
        additionalProperties: true,
        examples: [{ text: '{{text}}' }],
      }),
    ),
  },
  { description: 'A webhook.', examples: [{ url: '{{secret.pager_url}}', on: ['failure', 'end'] }] },
);
