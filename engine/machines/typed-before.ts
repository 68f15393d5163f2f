import { scrypt } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { MOST_OF, readFileWithin } from '../lib/bounded-file.js';

/** What is kept of the secrets that the operator typed for a run, so that its resume detects a mistyped one. */
export interface TypedBefore {
  /** False when another value was typed before. */
  fits(name: string, value: string): Promise<boolean>;
  keep(name: string, value: string): Promise<void>;
  /** The run is closed: they will not be typed for it again. */
  forget(): void;
}

/**
 * One byte of a slow hash of each, in a file that the owner alone reads. A typing error is known 255 times of 256; who takes the file has
 * no oracle, for of 256 guesses one fits.
 */
export function openTypedBefore(file: string): TypedBefore {
  return {
    fits: async (name, value) => {
      const mark = marksIn(file)[name];
      return mark === undefined || mark === (await markOf(value));
    },
    keep: async (name, value) => {
      const mark = await markOf(value);
      // A disk that is full must not keep a run from its secrets.
      quietly(() => writeFileSync(file, JSON.stringify({ ...marksIn(file), [name]: mark }), { mode: 0o600 }));
    },
    forget: () => quietly(() => rmSync(file, { force: true })),
  };
}

/** The salt is one and the same: with others the files of many runs, or two names of one secret, would tell a second byte. */
const markOf = (value: string): Promise<number> =>
  new Promise((resolve, reject) => {
    scrypt(value, 'runbook', 1, (error, hash) => {
      if (error === null) resolve(hash[0] ?? 0);
      else reject(error);
    });
  });

function marksIn(file: string): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readFileWithin(file, MOST_OF.text).toString('utf8')) as Record<string, number>;
  } catch {
    return {};
  }
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // What is not remembered is not recognised; nothing else hangs on it.
  }
}
