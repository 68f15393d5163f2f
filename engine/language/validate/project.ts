import type { JsonObject } from '../../terms/json.js';
import type { Platform } from '../../terms/playbook.js';
import type { Diagnostic } from '../../terms/diagnostic.js';
import { checkEndpointCertificates, checkStepCertificates } from './certificates.js';
import { checkCircles } from './circles.js';
import { checkTarget } from './target.js';
import { checkVariables } from './variables.js';
import { checkExtraVars, checkImportVars } from './extra-vars.js';
import { checkHosts } from './hosts.js';
import { checkInventory } from './inventory.js';
import { checkNamedFiles } from './named-files.js';
import { projectVocabulary } from './names.js';
import { checkOfflinePackages } from './offline.js';
import { checkBackOut } from './plan-page.js';
import { checkPlatform } from './platform.js';
import { checkPlaybook } from './playbook.js';
import { checkSecrets } from './secrets.js';
import { checkPlatformKeys, checkUnread } from './unread.js';
import type { WholeProject } from '../definitions.js';
import { emptyInventory } from '../inventory/load.js';
import type { LoadedInventory } from '../inventory/loaded.js';
import { checkWindow } from '../inventory/window.js';
import type { LoadContext } from '../load-context.js';
import { collectMistakes } from '../mistakes.js';
import type { LoadedPlaybook } from '../playbook/load.js';
import { playbookTexts } from '../playbook/texts.js';
import { namesReadBy } from '../templates/reads.js';
import { type Vocabulary, widen } from './vocabulary.js';
import type { Source } from '../yaml/source.js';

/** What was read of a project; undefined parts could not be, which has been reported. */
export interface ReadProject {
  readonly playbook: LoadedPlaybook | undefined;
  readonly platform: { readonly platform: Platform; readonly source: Source } | undefined;
  /** `none`: there is none, and none is needed. */
  readonly loaded: LoadedInventory | undefined | 'none';
  /** `-e`. */
  readonly extraVars: JsonObject;
  /** Dotted names that are read besides those of the files. */
  readonly reads: readonly string[];
}

/** Tells what is wrong between the files of a project, as far as they could be read; gives the warnings. Contacts nothing. */
export async function checkProject(context: LoadContext, read: ReadProject): Promise<readonly Diagnostic[]> {
  const { mistakes, offers } = context;
  const { playbook, extraVars } = read;
  const platform = read.platform?.platform;
  const loaded = read.loaded === 'none' ? undefined : read.loaded;
  const inventory = loaded?.inventory;
  const known = { ...(platform === undefined ? {} : { platform }), ...(inventory === undefined ? {} : { inventory }) };
  const whole = wholeOf(read);

  const reported = whole === undefined ? [] : checkPlatformKeys(whole, mistakes);
  const vocabulary = withPlatformKeys(
    projectVocabulary({ ...known, extraVars, plays: playbook?.playbook.plays ?? [] }),
    reported,
  );
  if (playbook !== undefined) {
    const groups = loaded === undefined ? {} : { groups: [...loaded.parts.groups.keys()] };
    const hasStepElsewhere = await stepsElsewhere(context, playbook, loaded);
    checkPlaybook(
      playbook.plays,
      playbook.values,
      { ...known, ...groups, extraVars, vocabulary, hasStepElsewhere },
      mistakes,
    );
  }
  if (playbook !== undefined && platform !== undefined) checkBackOut(playbook, platform, mistakes);
  if (read.platform !== undefined)
    checkPlatform(read.platform.platform, read.platform.source, { inventory, vocabulary, offers }, mistakes);
  if (loaded !== undefined) {
    checkHosts(loaded.hosts, loaded.parts, platform, mistakes);
    checkInventory(loaded, platform, vocabulary, mistakes);
    checkTarget(loaded.parts, platform, mistakes);
    await checkEndpointCertificates(context, loaded);
  }
  if (platform !== undefined) checkVariables({ platform, loaded, extraVars, values: playbook?.values ?? [] }, mistakes);
  if (whole === undefined) return [];
  if (inventory !== undefined) checkExtraVars(extraVars, whole, inventory, mistakes);
  checkImportVars(whole, mistakes);
  checkCircles(whole, mistakes);
  await checkStepCertificates(context, whole);
  const warnings = collectMistakes();
  if (loaded !== undefined) {
    checkWindow(context, loaded, warnings);
    await checkOfflinePackages(context, loaded, warnings);
    await checkNamedFiles(context, loaded, warnings);
  }
  await checkSecrets(context, whole, warnings);
  await checkUnread(context, whole, { mistakes, warnings });
  return warnings.found;
}

/**
 * A part of the upgrade that is applied by itself (`prepare.yaml`) may name a step that only the whole has: then it never comes to that
 * step. Other playbooks are read only when one is wanted; of what a run began with nothing is judged again.
 */
async function stepsElsewhere(
  context: LoadContext,
  playbook: LoadedPlaybook,
  loaded: LoadedInventory | undefined,
): Promise<(id: string) => boolean> {
  if (!context.files.live) return () => true;
  const own = new Set(playbook.plays.flatMap(({ steps }) => steps.flatMap(({ step }) => step.id ?? [])));
  const wanted = playbook.plays.flatMap(({ steps }) =>
    steps.flatMap(({ step: { temporary } }) => temporary?.noRestoreAfter ?? []),
  );
  if (wanted.every((id) => own.has(id))) return () => false;
  const texts = await playbookTexts(context, { playbook, loaded });
  return (id) => texts.some((text) => text.split('\n').some((line) => line.trim() === `id: ${id}`));
}

/** The project, when nothing of it is missing but an inventory that is not needed. */
export function wholeOf({ playbook, platform, loaded, extraVars, reads }: ReadProject): WholeProject | undefined {
  if (playbook === undefined || platform === undefined || loaded === undefined) return undefined;
  const inventory = loaded === 'none' ? emptyInventory : loaded.inventory;
  return {
    playbook,
    platform: platform.platform,
    platformSource: platform.source,
    extraVars,
    mentioned: new Set([...namesReadBy(playbook, platform.platform, inventory), ...reads]),
    ...(loaded === 'none' ? {} : { loaded }),
  };
}

/** Adds names of `platform` whose misspelling is already reported, so that they are not reported again where they are used. */
function withPlatformKeys(vocabulary: Vocabulary, reported: readonly string[]): Vocabulary {
  const names = vocabulary.scopes.get('platform');
  return names === undefined ? vocabulary : widen(vocabulary, { platform: new Set([...names, ...reported]) });
}
