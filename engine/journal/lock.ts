import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseHolder, stateOf, type Holder } from './holder.js';
import type { Runs } from './run-folder.js';
import { seal, unseal } from '../lib/sealed.js';
import { MOST_OF, readFileWithin } from '../lib/bounded-file.js';
import { jsonOrUndefined } from '../lib/json.js';
import { EndsRun } from '../terms/ends-run.js';
import { isObject } from '../terms/json.js';

/** The lock on an inventory and its runs. It ends with its process. */
export interface Lock {
  readonly holder: Holder;
  /** False once another process took it away. */
  readonly isHeld: () => boolean;
  release(): void;
}

/** This process no longer has the lock on the inventory: another one may be working on its hosts. */
export class LockLost extends EndsRun {}

/** The run's own folder was deleted or moved away, with its lock or without. */
export class RunFolderGone extends LockLost {
  constructor(readonly path: string) {
    super(`${path} is gone`);
  }
}

/** How often another process that came at the same moment is waited for, and how long each time. */
const ROUNDS = 250;
const ROUND_MS = 20;

/** What the lock of another machine is called here, in place of its token. */
const TEAM = 'team';

/** Inventories that stand side by side have a lock each; so do the hosts of one and its model. */
export const lockFolder = ({ folder, inventory, ofModel }: Runs): string =>
  join(dirname(folder), 'locks', `${basename(inventory)}${ofModel ? '.model' : ''}`);

/**
 * Takes the lock, or gives its holder. Each process first writes a claim of its own, and holds the lock once it then finds no other
 * process's: of two that come at the same moment at least one sees the other. The claim of a process that has ended counts for nothing; as no
 * claim is ever used again, removing it cannot remove another.
 */
export async function takeLock(
  folder: string,
  holder: Holder,
  pause: (ms: number) => Promise<unknown>,
): Promise<Lock | { readonly takenBy: Holder }> {
  const path = (state: string): string => join(folder, `${holder.token}.${state}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path('new'), seal(JSON.stringify(holder)), { mode: 0o600 });
  renameSync(path('new'), path('claim'));
  for (let round = 1; ; round += 1) {
    const others = claimsIn(folder).filter(({ holder: { token } }) => token !== holder.token);
    for (const ended of others.filter(hasEnded)) rmSync(ended.file, { force: true });
    const [first, ...more] = others.filter((claim) => !hasEnded(claim));
    if (first === undefined) {
      renameSync(path('claim'), path('held'));
      return {
        holder,
        isHeld: () => existsSync(path('held')),
        release: () => rmSync(path('held'), { force: true }),
      };
    }
    // Of those that came together the first by name stays, and the others go.
    const before = [first, ...more].find(({ isHeld, holder: { token } }) => isHeld || token < holder.token);
    if (before !== undefined || round === ROUNDS) {
      rmSync(path('claim'), { force: true });
      return { takenBy: (before ?? first).holder };
    }
    await pause(ROUND_MS);
  }
}

/** Who works with the inventory from another machine of the team, as it was when the team's store was last asked. */
export const teamLockFolder = (runs: Runs): string => `${lockFolder(runs)}.team`;

/** Whoever works with the inventory now, as far as it is known here; writes nothing. */
export const holdersAt = (runs: Runs): readonly Holder[] => [lockFolder(runs), teamLockFolder(runs)].flatMap(holdersOf);

/** Keeps who works with the inventory from another machine; undefined: no process does. */
export function keepTeamHolder(runs: Runs, holder: Holder | undefined): void {
  const folder = teamLockFolder(runs);
  if (holder === undefined) {
    rmSync(folder, { recursive: true, force: true });
    return;
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Replaced at once: whoever follows the run takes a moment without it for the run's end.
  writeFileSync(join(folder, `${TEAM}.new`), seal(JSON.stringify(holder)), { mode: 0o600 });
  renameSync(join(folder, `${TEAM}.new`), join(folder, `${TEAM}.held`));
}

/** Whoever has the lock of this folder now, as far as it is known here; writes nothing. */
export const holdersOf = (folder: string): readonly Holder[] =>
  claimsIn(folder)
    .filter((claim) => !hasEnded(claim))
    .map(({ holder }) => holder);

/** Takes the lock away from these. */
export function removeHolders(folder: string, holders: readonly Holder[]): void {
  for (const { file, holder } of claimsIn(folder))
    if (holders.some(({ token }) => token === holder.token)) rmSync(file, { force: true });
}

interface Claim {
  readonly file: string;
  readonly isHeld: boolean;
  readonly holder: Holder;
}

const hasEnded = ({ holder }: Claim): boolean => stateOf(holder) === 'ended';

function claimsIn(folder: string): readonly Claim[] {
  if (!existsSync(folder)) return [];
  const claims: Claim[] = [];
  for (const name of readdirSync(folder)) {
    const [, token, state] = /^(.+)\.(claim|held)$/.exec(name) ?? [];
    if (token === undefined) continue;
    const file = join(folder, name);
    const bytes = bytesOf(file);
    // A claim that is gone since may have become a held lock, which this list does not have.
    if (bytes === undefined) return claimsIn(folder);
    claims.push({ file, isHeld: state === 'held', holder: holderIn(file, bytes, token) });
  }
  return claims;
}

/**
 * Who holds a lock, by its file. Of a file that is damaged, or that another lock had, it is not known: its process may be at work, so it is
 * never taken for one that has ended.
 */
function holderIn(path: string, bytes: Buffer, token: string): Holder {
  const text = bytes.toString('utf8');
  const sealed = unseal(bytes);
  if (isObject(sealed) && (sealed['token'] === token || token === TEAM)) return { ...parseHolder(text, token), token };
  const isEarlier = sealed === undefined && text.startsWith('{"token":"') && jsonOrUndefined(text) !== undefined;
  return isEarlier
    ? { ...parseHolder(text, token), token, file: { is: 'unsummed', path } }
    : { ...parseHolder('', token), file: { is: 'damaged', path } };
}

function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileWithin(file, MOST_OF.own);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
