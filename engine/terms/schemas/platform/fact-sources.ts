import { Type, type Static } from 'typebox';
import type { Json } from '../../json.js';
import { list, text } from '../shared.js';

/** The keys of a fact that is read over HTTP, and the pointer into any value. */
export const overHttp = {
  endpoint: Type.Optional(text({ description: 'The endpoint of the inventory to read from.', examples: ['indexer'] })),
  path: Type.Optional(
    Type.String({
      description: 'The path, with its query; templates allowed.',
      pattern: '^(/|.*\\{\\{)',
      examples: ['/_cluster/health'],
    }),
  ),
  json: Type.Optional(
    Type.Unsafe<Json>({
      description:
        'A body, sent by POST in place of GET, for an API that reads so; templates allowed. It is sent in a plan, too: it must change nothing.',
      type: ['object', 'array', 'string'],
      pattern: '^\\{\\{[^{}]*\\}\\}$',
      examples: [{ query: { match_all: {} } }, {}],
    }),
  ),
  pointer: Type.Optional(
    Type.String({
      description:
        "A JSON pointer (RFC 6901) to the value, in the JSON of an answer, a file or a command's output. Absent: the whole of it.",
      pattern: '^(/|$)',
      examples: ['/status'],
    }),
  ),
  each_node: Type.Optional(Type.Boolean({ description: 'Read from the node on the current host.', examples: [true] })),
  absent: Type.Optional(
    list(Type.Integer({ description: 'A status.', minimum: 400, maximum: 499, examples: [400] }), {
      description:
        'Statuses that mean that there is no value, besides 404: then the default is used. Some servers answer 400 to a path of a plug-in that they do not have.',
      minItems: 1,
      examples: [[400, 405]],
    }),
  ),
};

const format = Type.Enum(['text', 'json', 'yaml', 'xml', 'repository', 'sha256'], {
  description:
    'How the file becomes a value. `yaml` gives every leaf under its full dotted name, so flat and nested keys are equal; `xml` gives the list of the texts of `elements`; `repository` gives the list of the URLs at or below `url` that are enabled in a package repository file of apt or dnf; `sha256` is the hash of its bytes, of a file of any size.',
  default: 'text',
  examples: ['yaml'],
});

export type FileFormat = Static<typeof format>;

/** Of one that is read in a file on the host. */
export const fromFile = {
  file: Type.Optional(
    Type.String({
      description: 'A file on the current host, read as text; templates allowed.',
      pattern: '^(/|.*\\{\\{)',
      examples: ['/etc/platform-dashboard/dashboard.yml'],
    }),
  ),
  format: Type.Optional(format),
  elements: Type.Optional(
    text({
      description:
        'For XML: the path, from the root, of the elements whose texts are the value; templates allowed. `NAME[last()]` selects the last element of that name. Comments are ignored.',
      examples: ['platform_config/indexer[last()]/hosts/host'],
    }),
  ),
  overridden_unless: Type.Optional(
    list(text({ description: 'The name of an element.', examples: ['host'] }), {
      description:
        'For XML that a program reads so that the last of several elements of one name counts: the names of those that may be several. The value is then what does not count of `elements`, as `ssl/key: TEXT`.',
      minItems: 1,
      examples: [['host', 'ca']],
    }),
  ),
  url: Type.Optional(
    text({
      description:
        'For a package repository file: the URL, or the beginning of it, whose enabled entries are the value; templates allowed.',
      examples: ['https://packages.example.com'],
    }),
  ),
  leave_out: Type.Optional(
    Type.String({
      description:
        'A regular expression: leaves of JSON or YAML that it matches are left out, because the program that reads the file adds them.',
      format: 'regex',
      minLength: 1,
      examples: ['\\{<.*>\\}'],
    }),
  ),
};

/** Of one that a command on the host prints. */
export const fromCommand = {
  command: Type.Optional(
    Type.Unsafe<Json>({
      description:
        'A command that changes nothing, as a list of arguments (no shell), run on the current host (also in a plan); templates allowed, or one template that names a list. Its value is its output; with `pointer` or `type: json` the output is read as JSON.',
      type: ['array', 'string'],
      minItems: 1,
      items: { description: 'An argument.', type: 'string', examples: ['-t'] },
      examples: [['systemctl', 'is-active', 'platform-indexer']],
      pattern: '^\\{\\{[^{}]+\\}\\}$',
    }),
  ),
  exit: Type.Optional(
    Type.Unsafe<readonly number[] | 'value'>({
      description:
        'Exit statuses that count as an answer; or `value`: the status is the value, a number. 126 and 127 are none: the command could not be run.',
      type: ['array', 'string'],
      items: { description: 'An exit status.', type: 'integer', minimum: 0, maximum: 255, examples: [3] },
      minItems: 1,
      pattern: '^value$',
      default: [0],
      examples: [[0, 3], 'value'],
    }),
  ),
  pattern: Type.Optional(
    Type.String({
      description:
        "A regular expression (multiline) for a command's output or the text of an answer over HTTP: the value is its first group, or the whole match. With named groups (`(?<name>…)`) it is a map of them, and the fact's type is `json`.",
      minLength: 1,
      examples: ['^version: (.*)$'],
      format: 'regex',
    }),
  ),
  all: Type.Optional(
    Type.Boolean({
      description: 'The value is the list of all matches of `pattern`, empty where there is none.',
      default: false,
      examples: [true],
    }),
  ),
};
