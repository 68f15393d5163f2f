/** What names, functions and helpers mean, for docs/language.md. `docs.js` fails when one that exists has no text here, or the reverse. */

/** Where a name has a value: E in expressions, T in templates. */
export const NAMES = {
  'hosts.X': ['E', 'the hosts of a role or group, or `hosts.all`, that `--limit` leaves', 'always'],
  'all_hosts.X': ['ET', 'the same of the whole inventory; in templates their names', 'always'],
  'host.name .address .roles .groups .vars': ['ET', 'the current host', 'always'],
  'platform.NAME': ['ET', "the inventory's `platform` block: `target`, `package_url` and keys of your own", 'always'],
  'GROUP.NAME': [
    'ET',
    'names of packages, services and files, from `names` of `platform.yaml`, overridden by the inventory',
    'always',
  ],
  'vars.NAME': [
    'ET',
    'lowest first: platform, inventory, groups in order, host, playbook, its import, play, step, `-e`',
    'always',
  ],
  item: ['ET', 'the element of the `loop` of this step', 'in this step'],
  'fact.NAME': [
    'ET',
    'a fact of `platform.yaml`: read over HTTP, or a file, a command or a disk of the current host',
    'when read',
  ],
  'installed.COMPONENT': ['ET', 'the current version of its package on the current host', 'when read'],
  'next.COMPONENT': [
    'E',
    'the version that the play at hand installs on the current host; where it installs none, the current one',
    'when read',
  ],
  'previous.COMPONENT': ['ET', 'its version when the run began; a resume keeps it', 'once recorded'],
  'needs_restart.COMPONENT': [
    'ET',
    'its service on the current host started before its package last changed',
    'when read',
  ],
  'staged.COMPONENT': ['ET', "the versions of its package in the package manager's cache, a list", 'when read'],
  'registered.NAME': [
    'ET',
    'the value of the step that registered it: on this host, else where it ran',
    'after that step',
  ],
  'secret.NAME': [
    'T',
    'a reference: the value is read only where it is used, and is never shown; it may stand in variables, and in arguments that say so',
    'always',
  ],
  'endpoint.NAME.urls .user .password': ['T', 'an endpoint of the inventory; the password stays a reference', 'always'],
  'run.id': ['T', 'the run', 'always'],
  CHECK: ['E', 'the name of a check of `platform.yaml`: true where it holds', 'when read'],
};

export const FUNCTIONS = {
  has: ['has(x)', 'whether a name has a value: not absent, not null, no empty version'],
  not: ['not(x)', 'the same as `!x`, which must be quoted in YAML'],
  all: ['list.all(x, E)', 'E holds for each element'],
  exists: ['list.exists(x, E)', 'E holds for at least one element'],
  exists_one: ['list.exists_one(x, E)', 'E holds for exactly one element'],
  size: ['size(x)', 'the length of a list, map or text'],
  like: ['text.like(r"…")', 'a regular expression (RE2) is found in the text; `^` and `$` match at line ends'],
  version: ['version(x)', 'a text as a version, which has an order: `version("9.10") > version("9.9")`'],
  int: ['int(x)', 'a text or number as a whole number'],
  string: ['string(x)', 'a value as text'],
};

export const HELPERS = {
  default: ['{{default x "y"}}', 'x, or y where x has no value'],
  join: ['{{join x ", "}}', 'a list as text'],
  by_release: [
    '{{by_release x map}}',
    'of a map from releases to values, the value of the highest release that is not above the version x',
  ],
  lower: ['{{lower x}}', 'in lower case'],
  release: ['{{release x}}', "the release of a package's version: `4.12.0` of `1:4.12.0-1`"],
  upper: ['{{upper x}}', 'in upper case'],
};
