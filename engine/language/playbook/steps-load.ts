import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import type { Condition } from '../../terms/condition.js';
import type { Block } from '../../terms/playbook.js';
import { resolveImport, type PlaybookFile } from './imports.js';
import type { LoadContext } from '../load-context.js';
import { aboutStep, checkPlaybookFile } from './file.js';
import { buildStep, checkStep, positionOf, type StepSetting } from './step-load.js';
import { defined } from '../../lib/defined.js';
import { listOf, objectOf, textOf, textsOf } from '../values.js';
import type { WrittenStep } from './written.js';

/** Where steps stand: in a play, a block of it, or a file that one of them imports. */
export interface StepsSetting extends StepSetting {
  readonly file: PlaybookFile;
  /** Counts over the whole load. */
  readonly imports: { count: number };
}

/** The steps of a play, or of a block in it, in order; those of blocks among them. */
export async function loadSteps(
  context: LoadContext,
  written: Json | undefined,
  setting: StepsSetting,
): Promise<readonly WrittenStep[]> {
  const { source, path: at } = setting;
  const steps: WrittenStep[] = [];
  for (const [i, json] of listOf(written).entries()) {
    const here = [...at, 'steps', i];
    if (isObject(json) && Object.hasOwn(json, 'block')) {
      steps.push(...(await loadSteps(context, json['steps'], inBlock(json, { ...setting, path: here }))));
      continue;
    }
    if (isObject(json) && Object.hasOwn(json, 'import')) {
      steps.push(...(await loadImport(context, json, { ...setting, path: here })));
      continue;
    }
    await checkStep(json, { source, path: here, about: aboutStep(source.json, here) }, context.mistakes);
    const step = buildStep(json, { ...setting, path: here });
    if (step !== undefined) steps.push({ step, source, path: here });
  }
  return steps;
}

/** The steps of another file, as a block of its own. */
async function loadImport(
  context: LoadContext,
  json: JsonObject,
  setting: StepsSetting,
): Promise<readonly WrittenStep[]> {
  const file = await resolveImport(context, { entry: json, at: setting.path, outer: setting.file }, setting.imports);
  if (file === undefined) return [];
  const { source } = file;
  await checkPlaybookFile(context, source);
  const root = objectOf(source.json);
  if (Object.hasOwn(root, 'plays')) {
    const here = { source: setting.source, path: [...setting.path, 'import'] };
    context.mistakes.at(here, `${source.file} has plays, not steps`, { hint: 'import it beside the plays' });
    return [];
  }
  const block = inBlock(json, setting, textOf(root['playbook']) ?? file.base);
  const spec = textOf(root['spec']) ?? setting.spec;
  const vars = { ...setting.vars, ...objectOf(json['vars']) };
  return loadSteps(context, root['steps'], { ...block, source, path: [], file, spec, vars });
}

/** What steps have from the block around them. */
function inBlock(json: JsonObject, setting: StepsSetting, name = textOf(json['block']) ?? ''): StepsSetting {
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
