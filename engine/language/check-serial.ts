import { isObject, type Json } from '../terms/json.js';
import type { Platform, Play, Step } from '../terms/playbook.js';
import type { Mistakes } from './mistakes.js';
import type { WrittenPlay } from './written.js';

/**
 * Tells a play that would take several hosts at once of a role whose hosts are taken one at a time (§8): by its `serial`, or because it
 * has none, stops units and installs packages. (What does not run can be brought back on all of them.)
 */
export function checkSerial({ play, source, path }: WrittenPlay, roles: Platform['roles'], mistakes: Mistakes): void {
  const role = wordsOf(play).find((word) => roles[word]?.oneAtATime === true);
  if (role === undefined || play.runOnce === true) return;
  const hint = `serial: 1 (hosts of role "${role}" are taken one at a time)`;
  if (play.serial?.some((size) => size !== 1) === true)
    mistakes.at(
      { source, path: [...path, 'serial'] },
      `play ${JSON.stringify(play.name)}: several hosts of role "${role}" at once`,
      { hint },
    );
  if (play.serial === undefined && play.steps.some(stops) && play.steps.some(installs))
    mistakes.at(
      { source, path: [...path, 'hosts'] },
      `play ${JSON.stringify(play.name)}: stops and upgrades all hosts of role "${role}" at once`,
      { hint },
    );
}

const stateIn = (args: Json): Json | undefined => (isObject(args) ? args['state'] : undefined);
const stops = ({ module, args }: Step): boolean => module === 'systemctl' && stateIn(args) === 'stopped';
const installs = ({ module, args }: Step): boolean => module === 'package' && stateIn(args) !== 'offered';

const wordsOf = ({ hosts }: Play): readonly string[] => (hosts === 'controller' ? [] : hosts);
