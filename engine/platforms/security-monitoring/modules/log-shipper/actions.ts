import { copyName, type RotatedDay } from '../../facts/rotated-log.js';
import type { Action } from '../../../../terms/action.js';
import { timeLimitMs } from '../../../../modules/shared/time-limit.js';
import type { LogShipperArgs } from './schema.js';

type Argv = readonly [string, ...string[]];

const SHIP_TIMEOUT_MS = 1_800_000;
const SMALL_TIMEOUT_MS = 60_000;

/** A second name for the log, in a directory that only root reads. */
export const linking = ({ log }: LogShipperArgs): readonly Action[] => [
  { do: 'directory', path: log.directory, mode: '0700' },
  run(['ln', '-f', log.file, copyName(log)]),
];

/**
 * What the stopped shipper knows, with the log's second name in place of its first. A shipper that starts on the next day's log
 * forgets how far it had read the one before, and would read it all again.
 */
export function remembering({ log }: LogShipperArgs, isThere: boolean): readonly Action[] {
  const beside = `${log.directory}/data.new`;
  const renamed = `s|"source":"${log.file}"|"source":"${copyName(log)}"|g`;
  return [
    { do: 'remove', path: beside, tree: true },
    isThere ? { do: 'copy', from: log.data, to: beside } : { do: 'directory', path: beside, mode: '0700' },
    run(['find', beside, '-type', 'f', '-name', '*.json', '-exec', 'sed', '-i', renamed, '{}', '+']),
    { do: 'move', from: beside, to: `${log.directory}/data` },
  ];
}

/** The days between are put beside what was kept; then the shipper reads all of it, once. */
export const shipping = ({ log, timeout }: LogShipperArgs, days: readonly RotatedDay[]): readonly Action[] => [
  // A shipper without an answer would wait for ever.
  run(log.test),
  ...days.filter(({ is }) => is === 'there').flatMap(({ day, file }) => fetching(`${log.directory}/${day}.json`, file)),
  {
    do: 'job',
    command: { argv: log.ship, timeoutMs: timeLimitMs(timeout, SHIP_TIMEOUT_MS) },
    expect: { exit: [0] },
  },
];

const fetching = (to: string, file: string): readonly Action[] =>
  file.endsWith('.gz')
    ? [{ do: 'copy', from: file, to: `${to}.gz` }, run(['gunzip', '-f', `${to}.gz`], SHIP_TIMEOUT_MS)]
    : [run(['ln', '-f', file, to])];

/**
 * Before a start that goes on with the log by itself. The second name stays until it runs: should it not, and the log be rotated, what the
 * stopped shipper knows still is remembered anew, and the log's end shipped; once it runs nothing is left to do.
 */
export const forgetting = ({ log }: LogShipperArgs): readonly Action[] => [
  { do: 'remove', path: `${log.directory}/data`, tree: true },
];

/** Its second name first: without what the shipper knew it would be shipped from its beginning. */
export const lettingGo = ({ log }: LogShipperArgs): readonly Action[] => [
  { do: 'remove', path: copyName(log) },
  { do: 'remove', path: log.directory, tree: true },
];

const run = (argv: Argv, timeoutMs = SMALL_TIMEOUT_MS): Action => ({
  do: 'run',
  command: { argv, timeoutMs },
  expect: { exit: [0] },
});
