import { durationMs } from '../../lib/duration.js';
import type { CommandName } from './commands.js';

/** What is wrong with a value, to be read after the name of its option. */
export type ValueCheck = (text: string) => string | undefined;

/** What is written in the table of options. */
interface Row {
  /** Where it is not the flag's name with hyphens. */
  readonly name?: string;
  /** Its letter. */
  readonly short?: string;
  /** How the help calls its value; absent of one that has none. */
  readonly value?: string;
  readonly help: string;
  /** Commands that accept it. */
  readonly commands: readonly CommandName[];
  readonly check?: ValueCheck;
  /** It selects what is planned: a plan file keeps it. */
  readonly selects?: true;
}

/** As `parseArgs` gives them. */
export type ParsedValue = string | boolean | (string | boolean)[] | undefined;

export interface Option<V> extends Row {
  readonly type: 'string' | 'boolean';
  readonly multiple?: true;
  /** What commands get of what was written. */
  readonly read: (given: ParsedValue) => V;
}

/** An option with a value, which may be missing. */
export const valueOption = <V>(row: Row, read: (value: string | undefined) => V): Option<V> => ({
  ...row,
  type: 'string',
  read: (given) => read(typeof given === 'string' ? given : undefined),
});

export const textOption = (row: Row): Option<string | undefined> => valueOption(row, (value) => value);

/** Values separated by commas; undefined where it is not given. */
export const listOption = (row: Row): Option<ReadonlySet<string> | undefined> =>
  valueOption({ ...row, check: notEmpty }, (value) => (value === undefined ? undefined : new Set(partsOf(value))));

/** A duration, in milliseconds. */
export const durationOption = ({ default: otherwise, ...row }: Row & { readonly default: string }): Option<number> =>
  valueOption(row, (value) => durationMs(value ?? otherwise) ?? 0);

/** One that may be given several times; undefined where it is not. */
export const repeatedOption = <V>(row: Row, read: (values: readonly string[] | undefined) => V): Option<V> => ({
  ...row,
  type: 'string',
  multiple: true,
  read: (given) => read(Array.isArray(given) ? given.map(String) : undefined),
});

export const textsOption = (row: Row): Option<readonly string[]> => repeatedOption(row, (values) => values ?? []);

/** One without a value. */
export const switchOption = (row: Row): Option<boolean> => ({
  ...row,
  type: 'boolean',
  read: (given) => given === true,
});

/** One without a value of which counts how often it is given. */
export const countOption = (row: Row): Option<number> => ({
  ...row,
  type: 'boolean',
  multiple: true,
  read: (given) => (Array.isArray(given) ? given.length : 0),
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
