import { Type, type Static } from 'typebox';
import type { Json, JsonObject } from '../../json.js';
import { anything, list, mapOf, object, ref, text } from '../shared.js';

const path = (about: { readonly description: string; readonly examples: readonly string[] }) =>
  Type.String({ ...about, pattern: '^/' });

const filesOf = (description: string, examples: readonly unknown[]) =>
  mapOf(Type.String({ description: 'Its text.', examples: ['ok\n'] }), { description, examples });

const when = object(
  {
    file: Type.Optional(path({ description: 'This file is there.', examples: ['/run/drained'] })),
    unit: Type.Optional(text({ description: 'This unit runs.', examples: ['nginx'] })),
  },
  { description: 'What must be so on the host: all of it.' },
);

const printed = {
  stdout: Type.Optional(
    Type.String({ description: 'What it prints; `HOST` is the name of the host.', examples: ['rabbit@HOST is up\n'] }),
  ),
  exit: Type.Optional(
    Type.Integer({ description: 'Its exit status. Default: 0.', minimum: 0, maximum: 255, examples: [69] }),
  ),
};

/** What a call leaves behind, so that later answers differ. */
const left = {
  creates: Type.Optional(
    path({
      description: 'A file that is there afterwards, empty: what other answers ask for by `when`.',
      examples: ['/run/drained'],
    }),
  ),
  removes: Type.Optional(
    path({ description: 'A file that is there no longer afterwards.', examples: ['/run/drained'] }),
  ),
};

const condition = ref('when', when, {
  description: 'Answer so only where this holds; elsewhere as `otherwise` says, and nothing is created or removed.',
  examples: [{ unit: 'nginx' }],
});

const program = object(
  {
    ...printed,
    ...left,
    when: Type.Optional(condition),
    otherwise: Type.Optional(
      object(printed, {
        description: 'What it prints where `when` does not hold. Default: nothing, with exit status 1.',
        examples: [{ exit: 69 }],
      }),
    ),
  },
  { description: 'A program.' },
);

const answer = object(
  {
    endpoint: text({ description: 'The endpoint of the inventory that is asked.', examples: ['haproxy'] }),
    path: path({
      description: 'The path, without its query. `HOST` in it is the name of any host: the answer is of that host.',
      examples: ['/stats;json', '/api/nodes/HOST/drain'],
    }),
    method: Type.Optional(text({ description: 'Only requests of this method. Default: all.', examples: ['PUT'] })),
    status: Type.Optional(
      Type.Integer({ description: 'The status. Default: 200.', minimum: 100, maximum: 599, examples: [204] }),
    ),
    json: anything({
      description: 'The body. `HOST` in its texts is the name of the host.',
      examples: [{ name: 'HOST', running: true }],
    }),
    each: Type.Optional(
      text({
        description: 'A role, a host, or `all`: the body is a list with an element for each of these hosts.',
        examples: ['web'],
      }),
    ),
    ...left,
    when: Type.Optional(condition),
    otherwise: Type.Optional(
      anything({
        description: 'The body where `when` does not hold. Default: null.',
        examples: [{ name: 'HOST', running: false }],
      }),
    ),
  },
  { description: 'An answer of an endpoint.' },
);

const packageData = object(
  {
    service: Type.Optional(text({ description: 'The unit that it brings.', examples: ['nginx'] })),
    versions: list(text({ description: 'A version.', examples: ['1.22.1-9'] }), {
      description: 'The versions that the package repository offers, newest first.',
      minItems: 1,
      examples: [['1.24.0-1', '1.22.1-9']],
    }),
    files: Type.Optional(filesOf('Files that it brings, by path.', [{ '/usr/share/nginx/index.html': 'ok\n' }])),
    conffiles: Type.Optional(
      filesOf('Configuration files that it brings, by path.', [
        { '/etc/nginx/nginx.conf': 'worker_processes auto;\n' },
      ]),
    ),
  },
  { description: 'A package.' },
);

const host = object(
  {
    family: Type.Optional(
      Type.Enum(['deb', 'rpm'], { description: 'Its kind of packages. Default: `deb`.', examples: ['rpm'] }),
    ),
    packages: Type.Optional(
      mapOf(Type.String({ description: 'A version.', examples: ['1.22.1-9'] }), {
        description: 'What is installed, by package. The unit of a package runs.',
        examples: [{ nginx: '1.22.1-9' }],
      }),
    ),
    files: Type.Optional(filesOf('Files that are there, by path.', [{ '/var/www/html/healthz': 'ok\n' }])),
  },
  { description: 'Hosts.' },
);

const simulate = object(
  {
    packages: Type.Optional(
      mapOf(ref('package', packageData), {
        description: 'Packages, by name.',
        examples: [{ nginx: { service: 'nginx', versions: ['1.24.0-1', '1.22.1-9'] } }],
      }),
    ),
    hosts: Type.Optional(
      mapOf(ref('host', host), {
        description: 'What hosts have at first: by role, by name, or `all`.',
        examples: [{ web: { packages: { nginx: '1.22.1-9' } } }],
      }),
    ),
    programs: Type.Optional(
      mapOf(ref('program', program), {
        description:
          'What programs do: by name, or by name and first arguments, of which the longest that fits counts (`rabbitmqctl list_queues` before `rabbitmqctl`).',
        examples: [{ 'rabbitmq-upgrade drain': { creates: '/run/drained' }, curl: { stdout: '200' } }],
      }),
    ),
    answers: Type.Optional(
      list(ref('answer', answer), {
        description: 'What endpoints answer; the first that fits counts. What is not described is answered with 404.',
        examples: [[{ endpoint: 'haproxy', path: '/stats;json', json: { status: 'up' } }]],
      }),
    ),
  },
  { description: 'Hosts as they are described, in place of real ones.' },
);

export const schema = object(
  {
    simulate: Type.Optional(
      ref('simulate', simulate, { description: 'The hosts.', examples: [{ hosts: { all: {} } }] }),
    ),
    faults: Type.Optional(
      list(
        Type.Unsafe<JsonObject>({
          description: 'A fault.',
          type: 'object',
          required: ['fault'],
          additionalProperties: true,
          examples: [{ fault: 'unreachable', host: 'web-1' }],
        }),
        {
          description: 'What goes wrong.',
          examples: [[{ fault: 'step', step: 'Upgrade the package', host: 'web-2', how: 'fails', times: 1 }]],
        },
      ),
    ),
  },
  {
    title: 'Described hosts',
    description: 'Hosts for trying a playbook: what is installed, what programs print and what endpoints answer.',
    $defs: { simulate, package: packageData, host, program, answer, when },
  },
);

/** Hosts as an author describes them; keys of `hosts` are roles, names of hosts, or `all`. */
export type Data = Static<typeof simulate>;
export type When = Static<typeof when>;
export type ProgramData = Static<typeof program>;
export type AnswerData = Static<typeof answer> & { readonly json: Json };
/** What a call leaves behind. */
export type Left = Pick<ProgramData, 'creates' | 'removes'>;
