import { titleOf } from '../../engine/language/playbook/named-checks.js';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../engine/terms/json.js';
import { importedBy, prefixesOf, type Imports } from './imports.js';
import { keysMentioned } from './keys.js';
import { filesBelow } from './stamp.js';

/** A step or a play as it is written, with what tells its events from others'. */
export interface Written {
  readonly kind: 'step' | 'play';
  /** Below the project's root: "playbooks/indexer.yaml". */
  readonly file: string;
  readonly play: string;
  readonly step?: string;
  /** The paths that its events may have: "upgrade-4.14/indexer/Upgrade each node/Stop the indexer". */
  readonly paths: readonly string[];
  /** The module that a step names. */
  readonly module?: string;
  /** What its events say: its own, else the play's or the playbook's. */
  readonly spec: string | undefined;
  /** It says so itself. */
  readonly own: boolean;
  readonly json: JsonObject;
  /** A play's hosts, `when` and vars: what its steps stand on. A play has none around it. */
  readonly around: JsonObject;
}

/** What can carry an item. */
export interface Material {
  readonly written: readonly Written[];
  readonly imports: Imports;
  /** playbooks/platform.yaml. */
  readonly platform: JsonObject;
  /** Docstrings and READMEs of modules: keys that a source file names by `§`, once each. */
  readonly docstrings: readonly { readonly file: string; readonly keys: readonly string[] }[];
}

/** The playbooks, the platform's facts and the engine's docstrings and READMEs below a project's root. */
export function readMaterial(root: string): Material {
  const playbooks = filesBelow(root, 'playbooks', '.yaml');
  const modules = readdirSync(path.join(root, 'schemas/modules')).map((f) => f.replace('.schema.json', ''));
  const isPlatform = (file: string): boolean => path.basename(file) === 'platform.yaml';
  const platformFile = playbooks.find(isPlatform);
  const read = (file: string): Json => parse(readFileSync(path.join(root, file), 'utf8')) as Json;
  const texts = playbooks.filter((file) => !isPlatform(file)).map((file) => [file, read(file)] as const);
  const imports: Imports = Object.fromEntries(texts.map(([file, json]) => [file, importedBy(file, json)]));
  const platform = platformFile === undefined ? {} : mapOf(read(platformFile));
  const titles = Object.fromEntries(
    Object.entries(mapOf(platform['checks'])).map(([name, check]) => [name, textOf(mapOf(check)['description']) ?? '']),
  );
  const prefixes = prefixesOf(Object.keys(imports), imports);
  const stepFiles = Object.fromEntries(texts.map(([file, json]) => [file, mapOf(json)]));
  return {
    written: texts.flatMap(([file, json]) =>
      writtenIn(file, json, modules, prefixes.get(file) ?? [], titles, stepFiles),
    ),
    imports,
    platform,
    docstrings: [...filesBelow(root, 'engine', '.ts'), ...filesBelow(root, 'engine', 'README.md')]
      .filter((file) => !file.includes('.generated.'))
      .map((file) => ({ file, keys: keysMentioned(readFileSync(path.join(root, file), 'utf8')) }))
      .filter(({ keys }) => keys.length > 0),
  };
}

/** The plays of one playbook and their steps, in order; a play comes before its steps. Imports are read where they are written. */
export function writtenIn(
  file: string,
  json: Json,
  modules: readonly string[],
  prefixes: readonly string[],
  titles: Readonly<Record<string, string>> = {},
  stepFiles: StepFiles = {},
): readonly Written[] {
  const playbook = mapOf(json);
  return listOf(playbook['plays'])
    .filter(isObject)
    .filter((play) => play['play'] !== undefined)
    .flatMap((play): Written[] => {
      const name = textOf(play['play']) ?? '';
      const { steps, ...around } = play;
      const at = { file, play: name };
      const spec = textOf(play['spec']) ?? textOf(playbook['spec']);
      const own = play['spec'] !== undefined;
      const ofPlay: Written = {
        ...at,
        kind: 'play',
        paths: prefixes.map((p) => `${p}/${name}`),
        spec,
        own,
        json: around,
        around: {},
      };
      const ofSteps = stepsIn(steps, { file, files: stepFiles }).map(({ step, spec: inherited }): Written => {
        const check = textOf(step['check']) ?? textOf(step['wait_for']) ?? '';
        const module = Object.keys(step).find((key) => ['check', 'wait_for', ...modules].includes(key));
        const named = textOf(step['step']) ?? titleOf({ description: titles[check] ?? '' }, module ?? '');
        return {
          ...at,
          kind: 'step',
          step: named,
          paths: prefixes.map((p) => `${p}/${name}/${named}`),
          ...(module === undefined ? {} : { module }),
          spec: textOf(step['spec']) ?? inherited ?? spec,
          own: (step['spec'] ?? inherited) !== undefined,
          json: step,
          around,
        };
      });
      return [ofPlay, ...ofSteps];
    });
}

interface Inherited {
  readonly step: JsonObject;
  /** The section of the blocks and files of steps around it, in the play. */
  readonly spec: string | undefined;
}

/** Files of steps: they count where they are imported. */
type StepFiles = Readonly<Record<string, JsonObject>>;

interface Around {
  /** The file that holds them. */
  readonly file: string;
  readonly files: StepFiles;
  readonly spec?: string;
}

/** The steps in order, those of blocks and imported files among them, each with the section that it inherits. */
function stepsIn(json: Json | undefined, around: Around): readonly Inherited[] {
  return listOf(json)
    .filter(isObject)
    .flatMap((step) => {
      const imported = textOf(step['import']);
      const file = imported === undefined ? around.file : path.join(path.dirname(around.file), imported);
      const holder = step['block'] === undefined ? around.files[imported === undefined ? '' : file] : step;
      if (holder === undefined) return [{ step, spec: around.spec }];
      const spec = textOf(holder['spec']) ?? around.spec;
      return stepsIn(holder['steps'], { ...around, file, ...(spec === undefined ? {} : { spec }) });
    });
}

export const mapOf = (json: Json | undefined): JsonObject => (json !== undefined && isObject(json) ? json : {});
export const listOf = (json: Json | undefined): readonly Json[] =>
  Array.isArray(json) ? (json as readonly Json[]) : [];
export const textOf = (json: Json | undefined): string | undefined => (typeof json === 'string' ? json : undefined);
