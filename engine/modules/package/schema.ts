import { Type, type Static } from 'typebox';
import { absolutePath, duration, version } from '../shared/arguments.js';

const files = (description: string) =>
  Type.Optional(
    Type.Array(absolutePath({ description: 'An absolute path.', examples: ['/etc/cassandra/jvm.options'] }), {
      description,
      minItems: 1,
      uniqueItems: true,
      examples: [['/etc/cassandra/jvm.options']],
    }),
  );

export const schema = Type.Object(
  {
    name: Type.String({
      description: "The package's name.",
      pattern: '^[A-Za-z0-9][A-Za-z0-9.+_-]*$',
      examples: ['cassandra'],
    }),
    version: version({
      description: 'The exact version with its revision; without a revision, any revision of it.',
      examples: ['4.14.7-1', '4.14.7'],
    }),
    state: Type.Optional(
      Type.Enum(['installed', 'available', 'staged'], {
        description:
          "`installed`, the default; `staged`: downloaded into the package manager's own cache, and later installed from there; or `available`: changes nothing, but refuses unless an enabled repository has exactly this version, or it is installed or staged.",
        examples: ['available'],
      }),
    ),
    optional: Type.Optional(
      Type.Boolean({
        description:
          'With `staged`: also the installed version, for a rollback; when no repository has it, a warning reports that a rollback to it is not possible.',
        examples: [true],
      }),
    ),
    from: Type.Optional(
      Type.String({
        description:
          "With `staged` and `available`: a directory on the controller, an absolute path, instead of the host's repositories. Empty: the repositories.",
        pattern: '^(?:/|$)',
        examples: ['/srv/packages'],
      }),
    ),
    repository: Type.Optional(
      Type.Object(
        {
          paths: Type.Array(absolutePath({ description: 'A path.', examples: ['/etc/yum.repos.d/platform.repo'] }), {
            description: 'Files on the host, of which it has one.',
            minItems: 1,
            examples: [['/etc/apt/sources.list.d/platform.list', '/etc/yum.repos.d/platform.repo']],
          }),
          url: Type.String({
            description: 'The address of the repository.',
            minLength: 1,
            examples: ['https://packages.example.com'],
          }),
        },
        {
          description:
            "With `available`: the platform's repository, as `package-repository` names it. Where it is disabled it is asked itself what it offers, with its index in a temporary directory on the host: nothing is enabled.",
          additionalProperties: false,
          examples: [{ paths: ['/etc/apt/sources.list.d/platform.list'], url: 'https://packages.example.com' }],
        },
      ),
    ),
    must_have: Type.Optional(
      Type.Object(
        {
          in: absolutePath({ description: 'A directory.', examples: ['/var/platform'] }),
          files: Type.Array(
            Type.String({ description: 'A path below it.', minLength: 1, examples: ['etc/lists/audit-keys'] }),
            { description: 'Files below that directory.', examples: [['etc/lists/audit-keys']] },
          ),
        },
        {
          description:
            'With `staged`: files of which each must be in the downloaded package or on the host, so that what needs them after the installation is refused before it.',
          additionalProperties: false,
          examples: [{ in: '/var/platform', files: ['etc/lists/audit-keys'] }],
        },
      ),
    ),
    archive_to: Type.Optional(
      absolutePath({
        description:
          "With `staged`: a directory on the host in which the package is archived, with its hash beside it, where a cleanup of the package manager's cache does not delete it. A package that is already there is not downloaded.",
        examples: ['/var/backups/runbook/before-4.14/packages'],
      }),
    ),
    archive_from: Type.Optional(
      absolutePath({
        description:
          "A directory on the host with archived packages (`archive_to`): with `available` and `staged` an archived package is sufficient, and it is installed from there when the package manager's own cache has none.",
        examples: ['/var/backups/runbook/before-4.14/packages'],
      }),
    ),
    hold: Type.Optional(
      Type.Boolean({
        description:
          'Whether the package is held back from upgrades outside this tool. Absent: unchanged; a hold that has to be lifted is set again. For dnf and yum this is a version lock, which needs their plug-in.',
        examples: [true],
      }),
    ),
    allow_downgrade: Type.Optional(
      Type.Boolean({
        description: 'Install the version although a newer one is installed. Default: false, which refuses.',
        examples: [true],
      }),
    ),
    conffiles: Type.Optional(
      Type.Enum(['keep', 'new'], {
        description:
          "Which configuration file is used when both sides changed it: the one on the host (`keep`, the default; the new one is written beside it as `.dpkg-dist`) or the package's (`new`; the old one is renamed to `.dpkg-old`). RPM decides this itself and leaves `.rpmnew` or `.rpmsave`: `new` is refused there.",
        examples: ['keep'],
      }),
    ),
    restarts: Type.Optional(
      Type.Array(Type.String({ description: 'A systemd unit.', minLength: 1, examples: ['cassandra'] }), {
        description: 'Units that its maintainer scripts restart, so that a plan knows.',
        minItems: 1,
        uniqueItems: true,
        examples: [['haproxy']],
      }),
    ),
    changes: files(
      'Files that it may change and that later steps read, including those that its package manager writes beside them (`.dpkg-dist`, `.rpmnew` and the like). With the package staged a plan predicts their content; else they are known after apply.',
    ),
    keep_config: files(
      "Configuration files that the operator edits. Each is copied to `FILE.bak` before the upgrade; afterwards the operator's options are written upon the new defaults (`*.options`), and new settings are reported (YAML, XML).",
    ),
    set_later: Type.Optional(
      Type.Array(
        Type.String({ description: 'A setting, or what holds several.', minLength: 1, examples: ['ruleset/list'] }),
        {
          description:
            'With `keep_config`: settings that later steps set: where the file lacks them, they are not reported. Of XML the path of elements from the root, as `config/ruleset`; of YAML the name.',
          minItems: 1,
          uniqueItems: true,
          examples: [['config/ruleset/list']],
        },
      ),
    ),
    script_marker: Type.Optional(
      Type.String({
        description:
          "With `keep_config`: what the comment has below which the package's own script writes options into a `*.options` file, unless that comment is there. The comment and the options below it, up to an empty line, are kept as they are.",
        minLength: 1,
        examples: ['Added by the package'],
      }),
    ),
    upgrade_from: Type.Optional(
      Type.String({
        description:
          "With `keep_config`: the version that the upgrade started from. While it is installed, the files are the operator's; afterwards the copies are.",
        examples: ['4.12.0-1'],
      }),
    ),
    lock_timeout: Type.Optional(
      duration({
        description: 'How long to wait for the package lock. Default: 10m. dnf and yum wait as long as `timeout`.',
        examples: ['10m'],
      }),
    ),
    timeout: Type.Optional(
      duration({ description: 'How long the whole transaction may take. Default: 1h.', examples: ['1h'] }),
    ),
  },
  {
    additionalProperties: false,
    allOf: [
      {
        if: { properties: { state: { const: 'available' } }, required: ['state'] },
        then: {
          properties: {
            hold: false,
            allow_downgrade: false,
            conffiles: false,
            restarts: false,
            changes: false,
            lock_timeout: false,
            timeout: false,
            keep_config: false,
            set_later: false,
            script_marker: false,
            upgrade_from: false,
          },
        },
      },
      {
        if: { properties: { state: { const: 'staged' } }, required: ['state'] },
        then: {
          properties: {
            hold: false,
            allow_downgrade: false,
            conffiles: false,
            restarts: false,
            changes: false,
            keep_config: false,
            set_later: false,
            script_marker: false,
            upgrade_from: false,
          },
        },
        else: { properties: { optional: false, archive_to: false } },
      },
      {
        if: { not: { properties: { state: { enum: ['available', 'staged'] } }, required: ['state'] } },
        then: { properties: { from: false } },
      },
    ],
    examples: [
      { name: 'cassandra', version: '4.14.7-1', changes: ['/etc/cassandra/jvm.options'] },
      {
        name: 'cassandra',
        version: '4.14.7-1',
        keep_config: ['/etc/cassandra/jvm.options'],
        upgrade_from: '4.12.0-1',
        archive_from: '/var/backups/runbook/before-4.14/packages',
      },
      { name: 'nginx', version: '1.24.0-2', hold: true },
      { name: 'cassandra', version: '4.14.7-1', state: 'available' },
      { name: 'cassandra', version: '4.14.7-1', state: 'staged', from: '/srv/packages' },
    ],
    dependentRequired: { keep_config: ['upgrade_from'], upgrade_from: ['keep_config'], script_marker: ['keep_config'] },
  },
);

export type PackageArgs = Static<typeof schema>;

/** Of the component whose package it is. */
export const installs = { state: 'installed' };
