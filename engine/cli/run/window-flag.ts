import { parseWindow, type Window } from '../../lib/window.js';
import { ownZone } from '../../lib/zone.js';
import type { Project } from '../../language/project.js';
import { invalid } from '../options/exit.js';

const FORM = /^([^/]+)\/(.+?)(?:\s+([A-Za-z]\S*))?$/;

/** The window that `--window` names, else that of the inventory, whose zone is also that of the flag. */
export function windowOf({ inventory }: Project, written: string | undefined): Window | undefined {
  if (written === undefined) return inventory.window;
  const [, opens, closes, zone = inventory.window?.zone ?? ownZone()] = FORM.exec(written.trim()) ?? [];
  if (opens === undefined || closes === undefined)
    throw invalid(`--window: "${written}" is not OPENS/CLOSES [ZONE], such as "2026-11-21 22:00/02:00 Europe/Berlin"`);
  const window = parseWindow({ opens, closes, zone });
  if ('is' in window) return window;
  throw invalid(`--window: ${window.message}${window.hint === undefined ? '' : `; ${window.hint}`}`);
}
