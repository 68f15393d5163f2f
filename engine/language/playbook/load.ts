import path from 'node:path';
import type { Condition } from '../../terms/condition.js';
import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import type { BackOutStage, Hosts, Play, Playbook, Serial } from '../../terms/playbook.js';
import { resolveImport, type PlaybookFile } from './imports.js';
import type { LoadContext } from '../load-context.js';
import { importersOf } from './importers.js';
import { checkPlaybookFile } from './file.js';
import { positionOf } from './step-load.js';
import { loadSteps } from './steps-load.js';
import { defined } from '../../lib/defined.js';
import { durationOf, flagOf, listOf, objectOf, textOf, textsOf } from '../values.js';
import type { WrittenPlay, WrittenRequirement, WrittenValue } from './written.js';
import type { Path } from '../yaml/node.js';
import type { Source } from '../yaml/source.js';

export interface LoadedPlaybook {
  readonly playbook: Playbook;
  /** Absent where there is no playbook. */
  readonly source?: Source;
  readonly plays: readonly WrittenPlay[];
  readonly values: readonly WrittenValue[];
}

/** Reads a playbook and all that it imports into plays in order, telling every mistake of every file on the way. */
export async function loadPlaybook(context: LoadContext, source: Source): Promise<LoadedPlaybook> {
  const root = objectOf(source.json);
  const file: PlaybookFile = {
    source,
    base: path.basename(source.absolute).replace(/\.ya?ml$/, ''),
    within: [],
    chain: [source.absolute],
    tags: [],
    vars: {},
    given: {},
    requires: [],
  };
  const { plays, values } = await loadFile(context, file, { count: 0 });
  const files = [...context.read].map(([absolute, { text }]) => ({ file: absolute, text }));
  const playbook = defined({
    name: textOf(root['playbook']) ?? file.base,
    file: source.file,
    spec: textOf(root['spec']),
    plays: plays.map(({ play }) => play),
    backOut: Object.hasOwn(root, 'back_out') ? listOf(root['back_out']).map(backOutOf) : undefined,
    files,
  });
  return { playbook, source, plays, values };
}

function backOutOf(json: Json): BackOutStage {
  const written = objectOf(json);
  const what = textOf(written['do']) ?? '';
  return {
    stage: textOf(written['stage']) ?? '',
    do: what,
    ...(what.startsWith('runbook ') ? { command: /^runbook rollback\b/.test(what) ? 'rollback' : 'other' } : {}),
    takesMs: durationOf(written['takes']),
    dataLoss: textOf(written['data_loss']) ?? '',
    requires: textsOf(written['requires']),
    ...(written['when'] === undefined ? {} : { when: textOf(written['when']) ?? '' }),
    ...(written['until'] === undefined ? {} : { until: textOf(written['until']) ?? '' }),
    ...(written['snapshots'] === undefined ? {} : { snapshots: textOf(written['snapshots']) ?? '' }),
  };
}

/** The plays of one file, its imports taken in. `imports` counts over the whole load. */
async function loadFile(
  context: LoadContext,
  file: PlaybookFile,
  imports: { count: number },
): Promise<Pick<LoadedPlaybook, 'plays' | 'values'>> {
  const { source } = file;
  await checkPlaybookFile(context, source);
  const root = objectOf(source.json);
  if (Object.hasOwn(root, 'steps')) {
    const importers = (await importersOf(context, source)).slice(0, 3).join(', ');
    context.mistakes.at({ source, path: ['steps'], on: 'key' }, `${source.file} has steps, and no play`, {
      hint: importers === '' ? 'import it in the steps of a play' : `name a playbook that imports it: ${importers}`,
    });
  }
  const vars = { ...file.vars, ...objectOf(root['vars']), ...file.given };
  const inner: PlaybookFile = {
    ...file,
    vars,
    requires: [...file.requires, ...requirementsAt(root, source, [])],
    ...defined({ spec: textOf(root['spec']) ?? file.spec }),
  };
  const values: WrittenValue[] = [{ source, path: ['vars'], json: objectOf(root['vars']), vars: Object.keys(vars) }];
  const plays: WrittenPlay[] = [];
  for (const [i, entry] of listOf(root['plays']).entries()) {
    if (!isObject(entry)) continue;
    if (Object.hasOwn(entry, 'import')) {
      values.push({
        source,
        path: ['plays', i, 'vars'],
        json: objectOf(entry['vars']),
        vars: Object.keys(vars),
      });
      const next = await resolveImport(context, { entry, at: ['plays', i], outer: inner }, imports);
      const imported = next === undefined ? undefined : await loadFile(context, next, imports);
      plays.push(...(imported?.plays ?? []));
      values.push(...(imported?.values ?? []));
    } else plays.push(await loadPlay(context, entry, { file: inner, at: ['plays', i], imports }));
  }
  return { plays, values };
}

interface Holder {
  readonly file: PlaybookFile;
  readonly at: Path;
  readonly imports: { count: number };
}

async function loadPlay(
  context: LoadContext,
  written: JsonObject,
  { file, at, imports }: Holder,
): Promise<WrittenPlay> {
  const { source } = file;
  const name = textOf(written['play']) ?? '';
  const playPath = `${file.base}/${name}`;
  const tags = [...new Set([...file.tags, ...textsOf(written['tags'])])];
  const spec = textOf(written['spec']) ?? file.spec;
  const setting = { source, path: at, within: playPath, tags, spec, vars: {}, blocks: [], file, imports };
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
    pointOfNoReturn: textOf(written['point_of_no_return']),
    safePoint: flagOf(written['safe_point']) === true ? (true as const) : undefined,
    vars: { ...file.vars, ...objectOf(written['vars']) },
    tags,
    spec,
    within: file.within,
    steps: steps.map(({ step }) => step),
    at: positionOf(source, at),
  });
  const requires = requirementsAt(written, source, at);
  return { play, source, path: at, steps, requires, inherited: file.requires };
}

/** The names of a list `requires` at this place. */
const requirementsAt = (written: JsonObject, source: Source, at: Path): readonly WrittenRequirement[] =>
  textsOf(written['requires']).map((check, i) => ({ check, source, path: [...at, 'requires', i] }));

const hostsOf = (written: Json | undefined): Hosts => {
  const words = textsOf([written].flat() as readonly Json[]);
  return written === undefined || (words.length === 1 && words[0] === 'controller') ? 'controller' : words;
};

/** `fact.NAME`, each by its name. */
const lastOf = (written: Json | undefined): readonly string[] | undefined =>
  written === undefined
    ? undefined
    : textsOf([written].flat() as readonly Json[]).map((name) => name.replace(/^fact\./, ''));

const serialOf = (json: Json | undefined): readonly Serial[] | undefined => {
  const all = Array.isArray(json) ? (json as readonly Json[]) : json === undefined ? [] : [json];
  const fit = all.filter((s) => typeof s === 'number' || typeof s === 'string');
  return fit.length === 0 ? undefined : fit;
};
