import type { Fault } from './state.js';

const ALL: Readonly<Record<Fault['fault'], true>> = {
  'start-fails': true,
  'dead-daemons': true,
  cut: true,
  step: true,
  unreachable: true,
  'no-sudo': true,
  'disk-full': true,
  download: true,
  'half-configured': true,
  untrusted: true,
  program: true,
};

/** What can be broken on hosts of every platform. */
export const faultNames: readonly string[] = Object.keys(ALL);
