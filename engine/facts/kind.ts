import type { Answer, Fact } from '../terms/fact.js';

/** What a probe printed. `stdout` is the bytes as latin1 text, so that nothing is lost. */
export interface ProbeOutput {
  readonly exit: number;
  readonly stdout: string;
}

/**
 * A fact and how a POSIX host is asked for it. `sh` gives a fragment for `/bin/sh` with LC_ALL=C, no standard input and errors
 * thrown away; it must not alter the host. A machine of another dialect answers the fact by its name in its own way.
 */
export interface HostFact<K = never, V = unknown> extends Fact<K, V> {
  sh(key: string): string;
  parse(out: ProbeOutput, key: string): Answer;
}
