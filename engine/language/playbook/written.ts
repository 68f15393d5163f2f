import type { Json } from '../../terms/json.js';
import type { Platform, Play, Step } from '../../terms/playbook.js';
import type { Path } from '../yaml/node.js';
import type { Source } from '../yaml/source.js';

/** A step or play and the place in its file where it is written: for the checks that follow. */
export interface WrittenStep {
  readonly step: Step;
  readonly source: Source;
  readonly path: Path;
}
/** The platform, and its file. */
export interface PlatformFile {
  readonly platform: Platform;
  readonly source: Source;
}
/** A named check that a playbook, a play or a component requires. */
export interface WrittenRequirement {
  readonly check: string;
  readonly source: Source;
  readonly path: Path;
}
export interface WrittenPlay {
  /** What it requires itself, and what its playbook and those around it do. */
  readonly requires: readonly WrittenRequirement[];
  readonly inherited: readonly WrittenRequirement[];
  readonly play: Play;
  readonly source: Source;
  readonly path: Path;
  readonly steps: readonly WrittenStep[];
}
/** Templates written outside of plays: the variables of a playbook, and those that an import sets. */
export interface WrittenValue {
  readonly source: Source;
  readonly path: Path;
  readonly json: Json;
  /** Names of the variables that are set there. */
  readonly vars: readonly string[];
}
