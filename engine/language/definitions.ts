import { isObject, type Json, type JsonObject } from '../terms/json.js';
import type { Platform } from '../terms/playbook.js';
import type { WrittenHost } from './inventory/hosts.js';
import type { LoadedInventory } from './inventory/loaded.js';
import { spotIn } from './inventory/layers.js';
import type { Spot } from './mistakes.js';
import type { LoadedPlaybook } from './playbook/load.js';
import { objectOf } from './values.js';
import type { WrittenPlay, WrittenStep } from './playbook/written.js';
import type { Source } from './yaml/source.js';

/** All of a project that was read without a hole, with the places of its parts. */
export interface WholeProject {
  readonly playbook: LoadedPlaybook;
  readonly platform: Platform;
  readonly platformSource: Source;
  /** Absent when a playbook is checked without an inventory. */
  readonly loaded?: LoadedInventory;
  /** `-e`. */
  readonly extraVars: JsonObject;
  /** Dotted names that its templates mention. */
  readonly mentioned: ReadonlySet<string>;
}

/** The value written for a dotted name, and its place; a value of `-e` has no place. */
export interface Definition {
  readonly value: Json;
  readonly spot?: Spot;
}

/** Where a name is looked at: the host, play and step at hand, as far as there are any. */
export interface Here {
  readonly host?: WrittenHost;
  readonly play?: WrittenPlay;
  readonly step?: WrittenStep;
}

/**
 * The definition that `vars.X`, `platform.X` or a name of the platform (`database.package`) has there, by the precedence of
 * docs/reference.md; undefined for names that are not defined in a file: facts, versions, secrets.
 */
export function definitionOf(project: WholeProject, here: Here, name: string): Definition | undefined {
  const [scope = '', key = ''] = name.split('.');
  const { platform, platformSource, loaded } = project;
  if (scope === 'vars') return variable(project, here, key);
  if (scope === 'platform') {
    const part = loaded?.parts.platform;
    return at(loaded?.inventory.platform, key, part === undefined ? undefined : spotIn(part, [key]));
  }
  const names = loaded?.parts.names.get(scope);
  const own = names === undefined ? undefined : at(names.json, key, spotIn(names, [key]));
  return own ?? at(platform.names[scope], key, { source: platformSource, path: ['names', scope, key] });
}

const at = (values: JsonObject | undefined, key: string, spot: Spot | undefined): Definition | undefined => {
  const value = values !== undefined && Object.hasOwn(values, key) ? values[key] : undefined;
  return value === undefined ? undefined : { value, ...(spot === undefined ? {} : { spot }) };
};

function variable(project: WholeProject, { host, play, step }: Here, key: string): Definition | undefined {
  const { loaded, platform, platformSource, extraVars } = project;
  return (
    at(extraVars, key, undefined) ??
    at(step?.step.vars, key, step === undefined ? undefined : inside(step, 'vars', key)) ??
    at(play?.play.vars, key, play === undefined ? undefined : placeInPlay(project, play, key)) ??
    at(host?.host.vars ?? loaded?.inventory.vars, key, placeInInventory(loaded, host, key)) ??
    at(platform.vars, key, { source: platformSource, path: ['vars', key] })
  );
}

const inside = ({ source, path }: WrittenPlay | WrittenStep, ...more: string[]): Spot => ({
  source,
  path: [...path, ...more],
});

/** A variable of a play is its own, or is set by an import, by its playbook, or by one around it. */
function placeInPlay({ playbook }: WholeProject, play: WrittenPlay, key: string): Spot {
  let own: Json | undefined = play.source.json;
  for (const part of [...play.path, 'vars'])
    own = isObject(own) ? own[part] : Array.isArray(own) ? (own as readonly Json[])[Number(part)] : undefined;
  if (Object.hasOwn(objectOf(own), key)) return inside(play, 'vars', key);
  const around = playbook.values.filter(({ json }) => Object.hasOwn(objectOf(json), key));
  const given = around.find(({ path, json }) => path.length > 1 && objectOf(json)[key] === play.play.vars[key]);
  const nearest = given ?? around.find(({ source }) => source === play.source) ?? around[0];
  return { source: nearest?.source ?? play.source, path: [...(nearest?.path ?? ['vars']), key] };
}

function placeInInventory(
  loaded: LoadedInventory | undefined,
  host: WrittenHost | undefined,
  key: string,
): Spot | undefined {
  const groups = (host?.host.groups ?? []).flatMap((name) => loaded?.parts.groups.get(name) ?? []);
  const holders = host === undefined ? [] : [host.part, ...groups.toReversed()];
  const holder = holders.find(({ json }) => Object.hasOwn(objectOf(json['vars']), key));
  if (holder !== undefined) return spotIn(holder, ['vars', key]);
  return loaded?.parts.vars === undefined ? undefined : spotIn(loaded.parts.vars, [key]);
}
