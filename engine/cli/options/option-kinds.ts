import { durationMs } from '../../lib/duration.js';
import type { CommandName } from './commands.js';

/** What is wrong with a value, to be read after the name of its option. */
export type ValueCheck = (text: string) => string | undefined;

/** What is written in the table of options. */
interface Row {
  /** Where it is not the flag's name with hyphens. */
  readonly name?: string;
  readonly short?: string;
  /** How the help calls its value. */
  readonly value?: string;
  readonly help: string;
  /** Those that take it. */
  readonly commands: readonly CommandName[];
  readonly check?: ValueCheck;
  /** It chooses what is planned: a plan file keeps it. */
  readonly chooses?: true;
}

/** As `parseArgs` gives them. */
export type Given = string | boolean | (string | boolean)[] | undefined;

export interface Option<V> extends Row {
  readonly type: 'string' | 'boolean';
  readonly multiple?: true;
  /** What commands get of what was written. */
  readonly read: (given: Given) => V;
  /** The values with which it is written again, `true` of one without a value: the opposite of `read`. Absent: it is never written. */
  readonly write?: (value: V) => readonly (string | true)[];
}

/** An option with a value, which may be missing. */
export const text = (row: Row): Option<string | undefined> => ({
  ...row,
  type: 'string',
  read: (given) => (typeof given === 'string' ? given : undefined),
  write: (value) => (value === undefined ? [] : [value]),
});

/** One that may be given several times. */
export const texts = (row: Row): Option<readonly string[]> => ({
  ...row,
  type: 'string',
  multiple: true,
  read: (given) => (Array.isArray(given) ? given.map(String) : []),
  write: (value) => value,
});

/** Values separated by commas; undefined where it is not given. */
export const names = (row: Row): Option<ReadonlySet<string> | undefined> => ({
  ...row,
  type: 'string',
  check: notEmpty,
  read: (given) => (typeof given === 'string' ? new Set(partsOf(given)) : undefined),
  write: (value) => (value === undefined ? [] : [[...value].join(',')]),
});

/** One without a value. */
export const toggle = (row: Row): Option<boolean> => ({
  ...row,
  type: 'boolean',
  read: (given) => given === true,
  write: (value) => (value ? [true] : []),
});

/** A duration, in milliseconds. */
export const duration = ({ other, ...row }: Row & { readonly other: string }): Option<number> => ({
  ...row,
  type: 'string',
  read: (given) => durationMs(typeof given === 'string' ? given : other) ?? 0,
});

const partsOf = (list: string): readonly string[] =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

export const notEmpty: ValueCheck = (given) => (partsOf(given).length === 0 ? ' needs a value' : undefined);

export const isDuration =
  (example: string): ValueCheck =>
  (given) =>
    durationMs(given) === undefined ? `: "${given}" is not a duration; use ${example}` : undefined;
