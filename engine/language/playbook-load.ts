import path from 'node:path';
import type { Condition } from '../terms/condition.js';
import { isObject, type Json, type JsonObject } from '../terms/json.js';
import type { Block, Hosts, Play, Playbook, Serial } from '../terms/playbook.js';
import { foreignKey } from './foreign-keys.js';
import { resolveImport, type PlaybookFile } from './imports.js';
import type { LoadContext } from './load-context.js';
import { bindParams, paramTypesOf, type Given } from './params.js';
import { checkSchema } from './schema-check.js';
import { nothingOpen } from './schema-findings.js';
import { buildStep, checkStep, positionOf, type StepSetting } from './step-load.js';
import { defined, flagOf, listOf, objectOf, textOf, textsOf } from './values.js';
import { playbook as checkPlaybook } from './validators.generated.js';
import type { WrittenPlay, WrittenStep, WrittenValue } from './written.js';
import type { Path } from './yaml-node.js';
import type { Source } from './yaml-source.js';

export interface LoadedPlaybook {
  readonly playbook: Playbook;
  readonly plays: readonly WrittenPlay[];
  readonly values: readonly WrittenValue[];
  /** Names of the root playbook's own parameters, which `-e` gives. */
  readonly params: readonly string[];
}

/** Reads a playbook and all that it imports into plays in order, telling every mistake of every file on the way. */
export async function loadPlaybook(
  context: LoadContext,
  source: Source,
  extraVars: JsonObject,
): Promise<LoadedPlaybook> {
  const root = objectOf(source.json);
  const given: Given = {
    values: extraVars,
    others: true,
    here: { source, path: ['params'], on: 'key' },
    spot: () => ({ source, path: ['params'], on: 'key' }),
    declared: (name) => ({ source, path: ['params', name, 'default'] }),
  };
  const file: PlaybookFile = {
    source,
    base: path.basename(source.absolute).replace(/\.ya?ml$/, ''),
    within: [],
    chain: [source.absolute],
    tags: [],
    vars: {},
    params: bindParams(objectOf(root['params']), given, context.mistakes),
  };
  const { plays, values } = await loadFile(context, file, { count: 0 });
  const files = [...context.read].map(([absolute, { text }]) => ({ file: absolute, text }));
  const playbook = defined({
    name: textOf(root['playbook']) ?? file.base,
    file: source.file,
    spec: textOf(root['spec']),
    plays: plays.map(({ play }) => play),
    files,
  });
  return { playbook, plays, values, params: Object.keys(objectOf(root['params'])) };
}

/** The plays of one file, its imports taken in. `imports` counts over the whole load. */
async function loadFile(
  context: LoadContext,
  file: PlaybookFile,
  imports: { count: number },
): Promise<Pick<LoadedPlaybook, 'plays' | 'values'>> {
  const { source } = file;
  await checkSchema(
    {
      check: checkPlaybook,
      schema: 'playbook.schema.json',
      source,
      data: source.json,
      base: [],
      open: nothingOpen,
      title: playbookTitle,
      misplaced: foreignKey,
      about: (at) => aboutStep(source.json, at),
      skip: ({ path: at, key }) => key !== undefined && holdsModule(at),
    },
    context.mistakes,
  );
  const root = objectOf(source.json);
  const vars = { ...file.vars, ...objectOf(root['vars']) };
  const inner: PlaybookFile = { ...file, vars, ...defined({ spec: textOf(root['spec']) ?? file.spec }) };
  const values: WrittenValue[] = [
    { source, path: ['vars'], json: objectOf(root['vars']), params: Object.keys(file.params), vars: Object.keys(vars) },
  ];
  const plays: WrittenPlay[] = [];
  for (const [i, entry] of listOf(root['plays']).entries()) {
    if (!isObject(entry)) continue;
    if (Object.hasOwn(entry, 'import')) {
      values.push({
        source,
        path: ['plays', i, 'with'],
        json: objectOf(entry['with']),
        params: Object.keys(file.params),
        vars: Object.keys(vars),
      });
      const next = await resolveImport(context, { entry, at: ['plays', i], outer: inner }, imports);
      const imported = next === undefined ? undefined : await loadFile(context, next, imports);
      plays.push(...(imported?.plays ?? []));
      values.push(...(imported?.values ?? []));
    } else plays.push(await loadPlay(context, entry, ['plays', i], inner));
  }
  return { plays, values };
}

async function loadPlay(context: LoadContext, written: JsonObject, at: Path, file: PlaybookFile): Promise<WrittenPlay> {
  const { source } = file;
  const name = textOf(written['play']) ?? '';
  const playPath = `${file.base}/${name}`;
  const tags = [...new Set([...file.tags, ...textsOf(written['tags'])])];
  const spec = textOf(written['spec']) ?? file.spec;
  const setting = { source, path: at, within: playPath, tags, spec, blocks: [] };
  const steps = await loadSteps(context, written['steps'], setting);
  const play: Play = defined({
    path: playPath,
    name,
    hosts: hostsOf(written['hosts']),
    last: lastOf(written['last']),
    runOnce: flagOf(written['run_once']) === true ? (true as const) : undefined,
    serial: serialOf(written['serial']),
    when: written['when'] as Condition | undefined,
    onHostFailure: written['on_host_failure'] === 'continue' ? ('continue' as const) : ('stop' as const),
    closing: flagOf(written['closing']) ?? false,
    pointOfNoReturn: textOf(written['point_of_no_return']),
    vars: { ...file.vars, ...objectOf(written['vars']) },
    params: file.params,
    paramTypes: paramTypesOf(objectOf(objectOf(source.json)['params'])),
    tags,
    spec,
    within: file.within,
    steps: steps.map(({ step }) => step),
    at: positionOf(source, at),
  });
  return { play, source, path: at, steps };
}

const hostsOf = (written: Json | undefined): Hosts => {
  const words = textsOf([written].flat() as readonly Json[]);
  return written === undefined || (words.length === 1 && words[0] === 'controller') ? 'controller' : words;
};

/** `fact.NAME`, each by its name. */
const lastOf = (written: Json | undefined): readonly string[] | undefined =>
  written === undefined
    ? undefined
    : textsOf([written].flat() as readonly Json[]).map((name) => name.replace(/^fact\./, ''));

/** The steps of a play, or of a block in it, in order; those of blocks among them. */
async function loadSteps(
  context: LoadContext,
  written: Json | undefined,
  setting: StepSetting,
): Promise<readonly WrittenStep[]> {
  const { source, path: at } = setting;
  const steps: WrittenStep[] = [];
  for (const [i, json] of listOf(written).entries()) {
    const here = [...at, 'steps', i];
    if (isObject(json) && Object.hasOwn(json, 'block')) {
      steps.push(...(await loadSteps(context, json['steps'], inBlock(json, { ...setting, path: here }))));
      continue;
    }
    await checkStep(json, { source, path: here, about: aboutStep(source.json, here) }, context.mistakes);
    const step = buildStep(json, { ...setting, path: here });
    if (step !== undefined) steps.push({ step, source, path: here });
  }
  return steps;
}

/** What steps have from the block around them. */
function inBlock(json: JsonObject, setting: StepSetting): StepSetting {
  const name = textOf(json['block']) ?? '';
  const around = setting.blocks.at(-1)?.path ?? setting.within;
  const block: Block = defined({
    path: `${around}/${name}`,
    name,
    when: json['when'] as Condition | undefined,
    at: positionOf(setting.source, setting.path),
  });
  return {
    ...setting,
    tags: [...new Set([...setting.tags, ...textsOf(json['tags'])])],
    spec: textOf(json['spec']) ?? setting.spec,
    blocks: [...setting.blocks, block],
  };
}

const serialOf = (json: Json | undefined): readonly Serial[] | undefined => {
  const all = Array.isArray(json) ? (json as readonly Json[]) : json === undefined ? [] : [json];
  const fit = all.filter((s) => typeof s === 'number' || typeof s === 'string');
  return fit.length === 0 ? undefined : fit;
};

/** Steps, and the maps in them that hold a module: which one, and what else, is told by the check of the step. */
const holdsModule = (path: Path): boolean =>
  path.at(-2) === 'steps' || (path.at(-1) === 'temporary' && path.at(-3) === 'steps');

/** Plays and steps are named before the message. */
const playbookTitle = (path: Path): string | undefined =>
  path.length === 0
    ? 'the playbook'
    : path[0] === 'plays' && (path.length === 2 || (path.length % 2 === 0 && path.at(-2) === 'steps'))
      ? ''
      : undefined;

/** The play, block or step that a path leads into, for the beginning of a message. */
function aboutStep(json: Json, [plays, play, ...within]: Path): string {
  if (plays !== 'plays' || typeof play !== 'number') return '';
  const written = objectOf(listOf(objectOf(json)['plays'])[play]);
  if (within[0] === 'steps' && typeof within[1] === 'number')
    return aboutInner(written, within, textOf(written['play']));
  if (Object.hasOwn(written, 'import')) return `import ${JSON.stringify(textOf(written['import']) ?? '')}: `;
  const name = textOf(written['play']);
  return name === undefined ? `play ${play + 1}: ` : `play ${JSON.stringify(name)}: `;
}

function aboutInner(holder: JsonObject, [, index, ...rest]: Path, around: string | undefined): string {
  const nth = Number(index);
  const written = objectOf(listOf(holder['steps'])[nth]);
  const block = textOf(written['block']);
  if (rest[0] === 'steps' && typeof rest[1] === 'number') return aboutInner(written, rest, block);
  if (block !== undefined) return `block ${JSON.stringify(block)}: `;
  const name = ['step', 'check', 'wait_for'].map((key) => textOf(written[key])).find((it) => it !== undefined);
  return name === undefined ? `step ${nth + 1} of ${JSON.stringify(around ?? '')}: ` : `step ${JSON.stringify(name)}: `;
}
