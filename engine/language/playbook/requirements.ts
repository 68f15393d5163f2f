import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import type { Platform, Step } from '../../terms/playbook.js';
import type { Mistakes } from '../mistakes.js';
import { installs } from '../validators.generated.js';
import type { LoadedPlaybook } from './load.js';
import { noSuchCheck } from './named-checks.js';
import { buildStep } from './step-load.js';
import type { PlatformFile, WrittenPlay, WrittenRequirement, WrittenStep } from './written.js';

/**
 * The playbook with what is required as steps at the head of its plays: in each play what that play requires; in a play that installs another
 * version of a component also what its playbook, those around it and the platform require of that component. Such a step is asked whatever
 * `--limit`, `--tags` and `--start-at-step` leave.
 */
export function withRequirements(loaded: LoadedPlaybook, file: PlatformFile, mistakes: Mistakes): LoadedPlaybook {
  const asked = new Set<WrittenRequirement>();
  const plays = loaded.plays.map((written): WrittenPlay => {
    const leadsTo = installedBy(written.steps, file.platform);
    const components = Object.keys(leadsTo);
    const inherited = components.length === 0 ? [] : written.inherited;
    for (const one of inherited) asked.add(one);
    const all = [...components.flatMap((component) => ofComponent(component, file)), ...inherited, ...written.requires];
    const once = all.filter(({ check }, i) => all.findIndex((other) => other.check === check) === i);
    const steps = [...once.flatMap((one) => stepOf(one, written, file.platform)), ...written.steps];
    const play = { ...written.play, steps: steps.map(({ step }) => step), ...(components.length > 0 && { leadsTo }) };
    return { ...written, play, steps };
  });
  checkWritten(loaded.plays, asked, file.platform, mistakes);
  return { ...loaded, plays, playbook: { ...loaded.playbook, plays: plays.map(({ play }) => play) } };
}

/** What playbooks and plays require is there, and asked. */
function checkWritten(
  plays: readonly WrittenPlay[],
  asked: ReadonlySet<WrittenRequirement>,
  { checks }: Platform,
  mistakes: Mistakes,
): void {
  for (const { check, source, path } of new Set(
    plays.flatMap(({ requires, inherited }) => [...requires, ...inherited]),
  ))
    if (!Object.hasOwn(checks, check)) noSuchCheck(check, checks, mistakes, { source, path });
  for (const one of new Set(plays.flatMap(({ inherited }) => inherited)))
    if (!asked.has(one) && Object.hasOwn(checks, one.check))
      mistakes.at({ source: one.source, path: one.path }, `"${one.check}" is never asked`, {
        hint: 'no play of this playbook installs a component: write it in the "requires" of a play',
      });
}

const ofComponent = (component: string, { platform, source }: PlatformFile): readonly WrittenRequirement[] =>
  (platform.requires[component] ?? []).map((check, i) => ({ check, source, path: ['requires', component, i] }));

/** The first step that installs each component, by the component. */
function installedBy(steps: readonly WrittenStep[], platform: Platform): Readonly<Record<string, Step>> {
  const found: Record<string, Step> = {};
  for (const { step } of steps) {
    const component = componentOf(step, platform);
    if (component !== undefined) found[component] ??= step;
  }
  return found;
}

/** The component of which a step installs a version: it names the package as the platform does, or as `{{COMPONENT.package}}`. */
function componentOf({ module, args, dryRun, remedy }: Step, { components, names }: Platform): string | undefined {
  const how = installs[module];
  // A step with a remedy only looks.
  if (how === undefined || dryRun === true || remedy !== undefined || !isObject(args) || args['version'] === undefined)
    return undefined;
  if ((args['state'] ?? how.state) !== how.state) return undefined;
  if (how.component !== undefined) return components.includes(how.component) ? how.component : undefined;
  return components.find((component) => isPackageOf(args['name'], component, names[component]));
}

const isPackageOf = (name: Json | undefined, component: string, names: JsonObject | undefined): boolean =>
  typeof name === 'string' &&
  (name.replaceAll(/\s/g, '') === `{{${component}.package}}` || name === names?.['package']);

/** The step that asks for it, in this play; none where there is no such check. */
function stepOf(
  { check, source, path }: WrittenRequirement,
  { play, source: own, path: at }: WrittenPlay,
  { checks }: Platform,
): readonly WrittenStep[] {
  if (!Object.hasOwn(checks, check)) return [];
  const setting = {
    source: own,
    path: at,
    within: play.path,
    tags: [],
    spec: checks[check]?.spec ?? play.spec,
    vars: {},
    blocks: [],
  };
  const step = buildStep({ check }, setting);
  return step === undefined ? [] : [{ step: { ...step, required: true }, source, path }];
}
