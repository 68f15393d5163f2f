import { nearest } from '../../lib/nearest.js';
import type { PlatformOffers } from '../../terms/platform-offers.js';
import type { Platform } from '../../terms/playbook.js';
import type { LoadedPlaybook } from '../playbook/load.js';
import { suggest, type Mistakes } from '../mistakes.js';
import { modules } from '../validators.generated.js';
import type { Source } from '../yaml/source.js';

/** What a platform.yaml says for the first page of a plan: names of components, facts of endpoints and modules that do not exist. */
export function checkPlanPage(
  { downtime = [], durations = {}, names }: Platform,
  { source, offers }: { source: Source; offers: PlatformOffers | undefined },
  mistakes: Mistakes,
): void {
  const units = Object.keys(names).filter((group) => names[group]?.['service'] !== undefined);
  const facts = offers?.endpointFacts;
  for (const [i, { component, items }] of downtime.entries()) {
    if (!units.includes(component))
      mistakes.at({ source, path: ['downtime', i, 'component'] }, `there is no names.${component}.service`, {
        hint: suggest(nearest(component, units), units, 'components'),
      });
    if (items !== undefined && facts?.includes(items) === false)
      mistakes.at({ source, path: ['downtime', i, 'items'] }, `no module asks an endpoint for a fact "${items}"`, {
        hint: suggest(nearest(items, facts), facts, 'facts'),
      });
  }
  const all = [...Object.keys(modules), 'check', 'wait_for'];
  for (const name of Object.keys(durations))
    if (!all.includes(name.split(' ')[0] ?? ''))
      mistakes.at({ source, path: ['durations', name] }, `there is no module "${name}"`, {
        hint: suggest(nearest(name, all), all, 'modules'),
      });
}

/** Checks and facts that a playbook's back-out names and that do not exist. */
export function checkBackOut(
  { playbook: { backOut = [] }, source }: Pick<LoadedPlaybook, 'playbook' | 'source'>,
  { checks, facts }: Platform,
  mistakes: Mistakes,
): void {
  if (source === undefined) return;
  const known = Object.keys(checks);
  const checkName = (name: string, at: readonly (string | number)[]): void => {
    if (!known.includes(name))
      mistakes.at({ source, path: ['back_out', ...at] }, `there is no check "${name}"`, {
        hint: suggest(nearest(name, known), known, 'checks'),
      });
  };
  for (const [i, { when, until, requires, snapshots }] of backOut.entries()) {
    if (snapshots !== undefined && facts[snapshots] === undefined)
      mistakes.at({ source, path: ['back_out', i, 'snapshots'] }, `there is no fact "${snapshots}"`, {
        hint: suggest(nearest(snapshots, Object.keys(facts)), [], 'facts'),
      });
    if (when !== undefined) checkName(when, [i, 'when']);
    if (until !== undefined) checkName(until, [i, 'until']);
    for (const [r, name] of requires.entries()) checkName(name, [i, 'requires', r]);
  }
}
