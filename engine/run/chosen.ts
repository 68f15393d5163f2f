import type { Play, Step } from '../terms/playbook.js';
import type { Run } from './run.js';
import { hostsOf } from './play-hosts.js';
import { missingOf, resolveFacts } from './facts/resolve-facts.js';

/** Do `--tags` and `--skip-tags` leave this step? A requirement stays. */
export const isTagged = ({ options }: Pick<Run, 'options'>, play: Play, step: Step): boolean => {
  if (step.required === true) return true;
  const tags = [...play.tags, ...step.tags];
  const { tags: only, skipTags } = options;
  if (skipTags !== undefined && tags.some((t) => skipTags.has(t))) return false;
  return only === undefined || tags.some((t) => only.has(t));
};

export interface Chosen {
  readonly hosts: readonly string[];
  /** Hosts of the play that were lost. */
  readonly without: readonly string[];
}

/** Which hosts, now: a selector may hang on a fact (the elected node). */
export async function selectNow(run: Run, play: Play): Promise<Chosen> {
  const chosen = await resolveFacts(run, (lookup) => hostsOf(run, play, lookup));
  const isLost = (host: string): boolean => run.journal.state.lost.has(host);
  return { hosts: chosen.filter((h) => !isLost(h)), without: chosen.filter(isLost) };
}

/** The hosts of a play as far as they are known without reading facts. */
export function hostsNow(run: Run, play: Play): readonly string[] {
  let hosts: readonly string[] = [];
  missingOf(run, (lookup) => {
    hosts = hostsOf(run, play, lookup);
  });
  return hosts;
}
