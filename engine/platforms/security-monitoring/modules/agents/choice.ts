import type { AgentRecord } from '../../facts/agents.js';
import { compareByPrefix } from '../../../../lib/version.js';
import { elements, type Choose } from './args.js';
import { SHOWN } from './sorted.js';
import type { Args } from './schema.js';

/** The manager itself is listed as an agent. */
const MANAGER = '000';

/** Those that the step is about: without the manager, without the excepted, and of the rest those that are chosen. */
export function chosenOf(args: Args, all: readonly AgentRecord[]): readonly AgentRecord[] {
  const isChosen = chooser(args.choose ?? {});
  return all.filter((a) => a.id !== MANAGER && args.except?.includes(a.name) !== true && isChosen(a));
}

/** Ids and names of the choice that no agent has: they are reported before anything is requested. */
export function unknownOf({ choose = {} }: Args, all: readonly AgentRecord[]): string | undefined {
  const ids = new Set(all.map((a) => a.id));
  const names = new Set(all.map((a) => a.name));
  const missing = [
    ...elements(choose.ids).filter((id) => !ids.has(id) && !(id === 'all')),
    ...elements(choose.names).filter((name) => !isPattern(name) && !names.has(name)),
  ];
  if (missing.length === 0) return undefined;
  const more = missing.length > SHOWN ? ` and ${missing.length - SHOWN} more` : '';
  return `no agent has the id or name ${missing.slice(0, SHOWN).join(', ')}${more}`;
}

/** An agent is chosen when each list that is given names it: any of the groups, any of the versions, a name or an id. */
function chooser(choose: Choose): (a: AgentRecord) => boolean {
  const groups = elements(choose.groups);
  const versions = elements(choose.versions);
  const ids = new Set(elements(choose.ids));
  const names = elements(choose.names).map(matcher);
  const named = ids.size + names.length > 0 && !ids.has('all');
  return (a) =>
    (groups.length === 0 || groups.some((g) => a.groups?.includes(g) === true)) &&
    (versions.length === 0 || versions.some((v) => a.version !== null && compareByPrefix(a.version, v) === 0)) &&
    (!named || ids.has(a.id) || names.some((matches) => matches(a.name)));
}

const isPattern = (name: string): boolean => /[*?]/.test(name);

/** `web-*`: a star is any text, a question mark one character. */
function matcher(name: string): (text: string) => boolean {
  if (!isPattern(name)) return (text) => text === name;
  const escaped = name.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'su');
  return (text) => pattern.test(text);
}
