import { isAbsolute, join, relative } from 'node:path';
import type { RunCopy } from '../../journal/run-folder.js';
import { seal, unseal } from '../../lib/sealed.js';
import { sha256 } from '../../lib/hash.js';
import type { RunStore } from '../../store/run-store.js';

const COPY = 'copy.json';
/** In place of the folder of the inventory, which is another one on each machine. */
const PROJECT = '{project}';

/**
 * The runs of a folder as other machines can take them: in a run's copy, what lies in the folder of its inventory is named from there. A run
 * of another inventory's folder keeps its own names.
 */
export const withPortableCopies = (store: RunStore, project: string): RunStore => ({
  ...store,
  async listBlobs(run) {
    const blobs = await store.listBlobs(run);
    return Promise.all(
      blobs.map(async (blob) => {
        if (blob.name !== COPY) return blob;
        const bytes = await store.getBlob(run, COPY);
        return bytes === undefined ? blob : { name: COPY, sha256: sha256(mapPaths(bytes, outOf(project))) };
      }),
    );
  },
  async getBlob(run, name) {
    const bytes = await store.getBlob(run, name);
    return bytes === undefined || name !== COPY ? bytes : mapPaths(bytes, outOf(project));
  },
  putBlob: (run, name, bytes) => store.putBlob(run, name, name === COPY ? mapPaths(bytes, into(project)) : bytes),
});

type MapPath = (path: string) => string;

const outOf =
  (project: string): MapPath =>
  (path) => {
    const from = relative(project, path);
    return isAbsolute(path) && !from.startsWith('..') && !isAbsolute(from) ? join(PROJECT, from) : path;
  };

/** What another machine sent names files below the folder, never above it. */
const into =
  (project: string): MapPath =>
  (path) => {
    if (path !== PROJECT && !path.startsWith(`${PROJECT}/`)) return path;
    const to = join(project, path.slice(PROJECT.length));
    return outOf(project)(to) === to ? path : to;
  };

/** A copy that cannot be read stays as it is: who needs it says so. */
function mapPaths(bytes: Buffer, map: MapPath): Buffer {
  let copy: RunCopy | undefined;
  try {
    copy = unseal(bytes) as unknown as RunCopy | undefined;
  } catch {
    copy = undefined;
  }
  if (copy === undefined) return bytes;
  const texts = (files: RunCopy['playbook']): RunCopy['playbook'] =>
    files.map(({ file, text }) => ({ file: map(file), text }));
  const { playbook, inventory, cwd } = copy;
  return Buffer.from(
    seal(JSON.stringify({ ...copy, playbook: texts(playbook), inventory: texts(inventory), cwd: map(cwd) })),
  );
}
