import type { Condition } from '../../terms/condition.js';
import type { Hint } from '../../terms/hint.js';
import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import type { FactSource, Invariant, NamedCheck, Platform, PlatformFact } from '../../terms/playbook.js';
import type { DowntimeOf, PermissionOf, WaitEntry } from '../../terms/schemas/platform/effects.js';
import type { FileFormat } from '../../terms/schemas/platform/fact-sources.js';
import type { Lease } from '../../terms/schemas/platform/roles.js';
import type { Rollback } from '../../terms/schemas/platform/versions.js';
import { oldCheckKey } from './foreign-keys.js';
import type { LoadContext } from '../load-context.js';
import { checkSchema } from '../schema/check.js';
import { nothingOpen } from '../schema/findings.js';
import { checkLooks, moduleOf, positionOf } from './step-load.js';
import { defined } from '../../lib/defined.js';
import { factType } from '../types/fact-types.js';
import { durationOf, flagOf, listOf, numberOf, objectOf, textOf, textsOf } from '../values.js';
import { platform as checkPlatform } from '../validators.generated.js';
import type { Source } from '../yaml/source.js';

/** The content of a platform.yaml; its mistakes are reported. */
export async function loadPlatform(context: LoadContext, source: Source): Promise<Platform> {
  await checkSchema(
    {
      check: checkPlatform,
      schema: 'platform.schema.json',
      source,
      data: source.json,
      base: [],
      open: nothingOpen,
      title: (at) => (at.length === 0 ? 'the platform' : at.length === 2 && aboutPart(at) !== '' ? '' : undefined),
      about: aboutPart,
      misplaced: (key, [part]) => (part === 'checks' ? oldCheckKey(key) : undefined),
    },
    context.mistakes,
  );
  const root = objectOf(source.json);
  await checkLooks(objectOf(root['checks']), source, context.mistakes);
  return defined({
    name: textOf(root['platform']) ?? '',
    names: mapObjects(root['names'], (group) => group),
    roles: mapObjects(root['roles'], roleOf),
    facts: mapObjects(root['facts'], factOf),
    invariants: listOf(root['invariants']).flatMap((json, i) => (isObject(json) ? [invariantOf(json, source, i)] : [])),
    checks: mapObjects(root['checks'], checkOf),
    vars: objectOf(root['vars']),
    types: objectOf(root['types']) as Platform['types'],
    components: textsOf(root['components']),
    requires: Object.fromEntries(Object.entries(objectOf(root['requires'])).map(([of, names]) => [of, textsOf(names)])),
    status: textOf(root['status']),
    wait: listOf(root['wait']).map((json) => waitOf(objectOf(json))),
    permissions: listOf(root['permissions']).map((json) => permissionOf(objectOf(json))),
    downtime: listOf(root['downtime']).map((json) => downtimeOf(objectOf(json))),
    durations: Object.fromEntries(
      Object.entries(objectOf(root['durations'])).map(([name, ms]) => [name, durationOf(ms)]),
    ),
    versionExample: textOf(root['version_example']),
    sameVersion: isObject(root['same_version']) ? sameVersionOf(root['same_version']) : undefined,
    rollback: isObject(root['rollback']) ? rollbackOf(root['rollback']) : undefined,
    lease: isObject(root['lease']) ? leaseOf(root['lease']) : undefined,
  });
}

const aboutPart = ([part, name]: readonly (string | number)[]): string => {
  const noun = { roles: 'role', facts: 'fact', checks: 'check', names: 'names' }[String(part)];
  return noun === undefined || name === undefined ? '' : `${noun} "${name}": `;
};

const mapObjects = <T>(json: Json | undefined, make: (value: JsonObject) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(
    Object.entries(objectOf(json)).flatMap(([name, value]) => (isObject(value) ? [[name, make(value)] as const] : [])),
  );

const checkOf = (json: JsonObject): NamedCheck =>
  defined({
    that: json['that'] as Condition | undefined,
    looks: looksOf(json),
    description: textOf(json['description']) ?? '',
    message: textOf(json['message']),
    hint: json['hint'] as Hint | undefined,
    spec: textOf(json['spec']),
    waivable: json['waivable'] === false ? (false as const) : undefined,
    failIf: json['fail_if'] as Condition | undefined,
  });

function looksOf(json: JsonObject): NamedCheck['looks'] {
  const module = moduleOf(json);
  return module === undefined
    ? undefined
    : defined({ module, args: json[module] ?? null, when: json['when'] as Condition | undefined });
}

const waitOf = (json: JsonObject): WaitEntry => ({
  when: (json['when'] ?? false) as Condition,
  text: textOf(json['text']) ?? '',
});

const permissionOf = (json: JsonObject): PermissionOf => ({
  endpoint: textOf(json['endpoint']) ?? '',
  permission: textOf(json['permission']) ?? '',
  for: textOf(json['for']) ?? '',
});

const downtimeOf = (json: JsonObject): DowntimeOf =>
  defined({
    component: textOf(json['component']) ?? '',
    title: textOf(json['title']) ?? '',
    note: textOf(json['note']),
    items: textOf(json['items']),
  });

const sameVersionOf = (json: JsonObject): Platform['sameVersion'] => ({
  components: textsOf(json['components']),
  spec: textOf(json['spec']) ?? '',
  failedSpec: textOf(json['failed_spec']) ?? '',
});

const rollbackOf = (json: JsonObject): Rollback =>
  defined({
    release: textOf(json['release']) ?? '',
    packages: textOf(json['packages']) ?? '',
    minimum: textOf(json['minimum']),
  });

const leaseOf = (json: JsonObject): Lease => ({
  roles: textsOf(json['roles']),
  file: textOf(json['file']) ?? '',
});

const roleOf = (json: JsonObject): Platform['roles'][string] =>
  defined({
    description: textOf(json['description']) ?? '',
    min: numberOf(json['min']),
    max: numberOf(json['max']),
    requires: textOf(json['requires']),
    withOneOf: json['with_one_of'] === undefined ? undefined : textsOf(json['with_one_of']),
    oneAtATime: json['one_at_a_time'] === true ? true : undefined,
    noPackages: json['no_packages'] === true ? true : undefined,
  });

const factOf = (json: JsonObject): PlatformFact =>
  defined({
    description: textOf(json['description']) ?? '',
    pointer: textOf(json['pointer']),
    default: json['default'],
    type: factType(textOf(json['type'])),
    ...sourceOf(json),
  });

function sourceOf(json: JsonObject): FactSource {
  const { file, disk, command } = json;
  if (file !== undefined)
    return defined({
      file: textOf(file) ?? '',
      format: (textOf(json['format']) ?? 'text') as FileFormat,
      leaveOut: textOf(json['leave_out']),
      elements: textOf(json['elements']),
      overriddenUnless: json['overridden_unless'] === undefined ? undefined : textsOf(json['overridden_unless']),
      url: textOf(json['url']),
    });
  if (disk !== undefined) return { disk: textOf(disk) ?? '' };
  const pattern = { pattern: textOf(json['pattern']), all: flagOf(json['all']) };
  if (command !== undefined)
    return defined({
      command,
      exit: exitOf(json['exit']),
      ...pattern,
    });
  return defined({
    endpoint: textOf(json['endpoint']) ?? '',
    path: textOf(json['path']) ?? '/',
    json: json['json'],
    eachNode: flagOf(json['each_node']),
    absent: json['absent'] === undefined ? undefined : listOf(json['absent']).map(Number),
    ...pattern,
  });
}

const invariantOf = (json: JsonObject, source: Source, i: number): Invariant =>
  defined({
    name: textOf(json['invariant']) ?? '',
    roles: textsOf(json['roles']),
    condition: (json['condition'] ?? true) as Condition,
    withinMs: durationOf(json['within']),
    spec: textOf(json['spec']),
    at: positionOf(source, ['invariants', i]),
  });

const exitOf = (written: Json | undefined): readonly number[] | 'value' | undefined =>
  written === undefined || written === 'value' ? written : listOf(written).map(Number);
