import type { Inventory } from '../../terms/inventory.js';
import { isObject, type Json } from '../../terms/json.js';
import type { Platform, Play, Step } from '../../terms/playbook.js';
import type { Mistakes } from '../mistakes.js';
import { select } from '../playbook/selector.js';
import type { WrittenPlay } from '../playbook/written.js';

/**
 * Tells a play that would take several hosts at once of a role whose hosts are taken one at a time: by its `serial`, or because it
 * has none, stops units and installs packages. (What does not run can be brought back on all of them.)
 */
export function checkSerial(
  { play, source, path }: WrittenPlay,
  roles: Platform['roles'],
  inventory: Inventory | undefined,
  mistakes: Mistakes,
): void {
  const role = Object.keys(roles).find(
    (name) => roles[name]?.oneAtATime === true && hasSeveral(play, name, roles, inventory),
  );
  if (role === undefined || play.runOnce === true) return;
  const hint = `serial: 1 (hosts of role "${role}" are taken one at a time)`;
  if (play.serial?.some((size) => size !== 1) === true)
    mistakes.at(
      { source, path: [...path, 'serial'] },
      `play ${JSON.stringify(play.name)}: several hosts of role "${role}" at once`,
      { hint },
    );
  const does = play.steps.some(restarts)
    ? 'restarts'
    : play.steps.some(stops) && play.steps.some(installs)
      ? 'stops and upgrades'
      : undefined;
  if (play.serial === undefined && does !== undefined)
    mistakes.at(
      { source, path: [...path, 'hosts'] },
      `play ${JSON.stringify(play.name)}: ${does} all hosts of role "${role}" at once`,
      { hint },
    );
}

const stateIn = (args: Json): Json | undefined => (isObject(args) ? args['state'] : undefined);
const restarts = ({ module, args }: Step): boolean => module === 'systemctl' && stateIn(args) === 'restarted';
const stops = ({ module, args }: Step): boolean => module === 'systemctl' && stateIn(args) === 'stopped';
const installs = ({ module, args }: Step): boolean => module === 'package' && stateIn(args) !== 'available';

/** By its name, or by other words that come to several of its hosts. */
function hasSeveral(play: Play, role: string, roles: Platform['roles'], inventory: Inventory | undefined): boolean {
  if (wordsOf(play).includes(role)) return true;
  const names = new Set(select(play, inventory?.hosts ?? [], { roles }));
  return (inventory?.hosts ?? []).filter((host) => names.has(host.name) && host.roles.includes(role)).length > 1;
}

const wordsOf = ({ hosts }: Play): readonly string[] => (hosts === 'controller' ? [] : hosts);
