import type { Mistakes } from '../mistakes.js';
import type { WrittenPlay } from '../playbook/written.js';

/** A run finds plays, blocks and steps by their titles, and other steps find a step by its `id`: each is there once. */
export function checkUnique(plays: readonly WrittenPlay[], mistakes: Mistakes): void {
  const ids = new Map<string, string>();
  const paths = new Set<string>();
  for (const written of plays) {
    const { play, source, path } = written;
    if (paths.has(play.path))
      mistakes.at({ source, path: [...path, 'play'] }, `two plays are called ${JSON.stringify(play.path)}`, {
        hint: 'a run finds a play by its name: give one another name, and import a file only once',
      });
    paths.add(play.path);
    checkSteps(written, ids, mistakes);
  }
}

function checkSteps({ steps }: WrittenPlay, ids: Map<string, string>, mistakes: Mistakes): void {
  const names = new Set<string>();
  for (const { step, source, path } of steps) {
    if (names.has(step.name))
      mistakes.at(
        { source, path: [...path, step.check === undefined ? 'step' : step.module] },
        `two steps of this play are called ${JSON.stringify(step.name)}`,
        { hint: 'a resume finds a step by its name: say what differs' },
      );
    names.add(step.name);
    if (step.id === undefined) continue;
    const place = JSON.stringify(step.at);
    // A file of steps may be imported more than once: its step has one id wherever it runs.
    if ((ids.get(step.id) ?? place) !== place)
      mistakes.at({ source, path: [...path, 'id'] }, `two steps have the id "${step.id}"`, {
        hint: 'an id names one step of the playbook and its imports',
      });
    ids.set(step.id, place);
  }
}
