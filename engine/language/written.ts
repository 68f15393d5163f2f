import type { Json } from '../terms/json.js';
import type { Play, Step } from '../terms/playbook.js';
import type { Path } from './yaml-node.js';
import type { Source } from './yaml-source.js';

/** A step or play and the place in its file where it is written: for the checks that follow. */
export interface WrittenStep {
  readonly step: Step;
  readonly source: Source;
  readonly path: Path;
}
export interface WrittenPlay {
  readonly play: Play;
  readonly source: Source;
  readonly path: Path;
  readonly steps: readonly WrittenStep[];
}
/** Templates written outside of plays: what an import gives to parameters, the vars of a playbook. */
export interface WrittenValue {
  readonly source: Source;
  readonly path: Path;
  readonly json: Json;
  /** Names of the parameters and vars that hold there. */
  readonly params: readonly string[];
  readonly vars: readonly string[];
}
