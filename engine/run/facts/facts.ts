import type { FileTree } from '../../facts/file.js';
import { isWithin } from '../../lib/paths.js';
import type { Prediction, Touch } from '../../terms/change.js';
import { refKey, type Answer, type Cause, type FactRef, type Known, type Need } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import type { Reader } from '../../terms/machine.js';
import { keyOf, type Subject } from '../../terms/subject.js';

/** What is known of a question: a value, an unknown with its cause, or the reader's reason why there is none. */
export type Reading = Known<Json> | { readonly failed: Extract<Answer, { is: 'failed' }> };

/** Facts about a path hang together: a file below a directory is part of its tree. */
const PATH_FACTS: ReadonlySet<string> = new Set(['file', 'content', 'large-content', 'tree', 'archive']);

/** What a plan's steps would do to a path, and, where it is a tree that is predicted, what it will hold. */
interface TouchedPath {
  readonly touch: FactRef;
  readonly cause: Cause;
  tree?: FileTree;
}

/** What is read where nothing is. */
const ABSENT: Readonly<Record<string, Json>> = {
  file: { exists: false },
  content: null,
  'large-content': null,
  tree: null,
  archive: null,
};

/**
 * The facts of one run: what was read, and in a plan what was predicted over it. A reading is good until something that
 * touches it acts.
 */
export class Facts {
  readonly #read = new Map<string, Map<string, { ref: FactRef; answer: Answer }>>();
  /** By subject, so that what one host's task touches is looked for among that host's facts alone. */
  readonly #overlay = new Map<string, Map<string, { ref: FactRef; reading: Known<Json> }>>();
  readonly #touchedPaths = new Map<string, TouchedPath[]>();
  readonly #everything = new Map<string, Cause>();

  #generation = 0;
  readonly #forgotten = new Map<string, number>();

  constructor(private readonly reader: Reader) {}

  /** What is known without asking; undefined when it must be asked. */
  lookup(ref: FactRef): Reading | undefined {
    const [of, key] = [keyOf(ref.of), refKey(ref)];
    const laid = this.#overlay.get(of)?.get(key);
    if (laid !== undefined) return laid.reading;
    const everything = this.#everythingOf(ref.of, of);
    if (everything !== undefined) return { known: false, ...everything };
    const kin = this.#kinOf(ref, of);
    if (kin !== undefined) return readingBelow(ref, kin);
    const found = this.#read.get(of)?.get(key);
    if (found === undefined) return undefined;
    return readingOf(found.answer);
  }

  /**
   * Asks these questions, all at once, each once, and keeps what is still good when the answer comes: an endpoint may have been acted
   * on meanwhile. The answers are good for who asked, either way.
   */
  async ask(needs: readonly Need[], inHand: readonly string[]): Promise<ReadonlyMap<string, Reading>> {
    const unique = new Map(needs.map((n) => [refKey(n), n]));
    const generation = this.#generation;
    const answers = await this.reader.ask([...unique.values()], { inHand });
    const readings = new Map<string, Reading>();
    for (const [key, ref] of unique) {
      const answer = answers.get(key) ?? { is: 'failed', why: 'unreadable', reason: `no reader answers ${ref.fact}` };
      readings.set(key, readingOf(answer));
      if (generation === this.#generation || !('endpoint' in ref.of)) this.#keep(ref, answer);
    }
    return readings;
  }

  #keep(ref: FactRef, answer: Answer): void {
    // A host that could not be reached may answer the next question.
    if (answer.is === 'failed' && answer.why === 'unreachable') return;
    const of = keyOf(ref.of);
    const known = this.#read.get(of) ?? new Map<string, { ref: FactRef; answer: Answer }>();
    this.#read.set(of, known.set(refKey(ref), { ref, answer }));
  }

  /** Forgets what was read of a subject, and of every endpoint: what acts on a host may show at any of them. */
  forget(subject: Subject): void {
    const of = keyOf(subject);
    this.#read.delete(of);
    this.#forgotten.set(of, this.timesForgotten(subject) + 1);
    this.forgetEndpoints();
  }

  /** How often what was read of a subject was forgotten. */
  timesForgotten(subject: Subject): number {
    return this.#forgotten.get(keyOf(subject)) ?? 0;
  }

  /** What was read of hosts some time ago is no proof of how they are now. What the controller fetched is its own, and stays. */
  forgetHosts(): void {
    for (const key of [...this.#read.keys()]) if (key.startsWith('host:')) this.#read.delete(key);
  }

  /** An endpoint's answers are not kept from one task to the next in an apply: others act on it. */
  forgetEndpoints(): void {
    this.#generation += 1;
    for (const key of [...this.#read.keys()]) if (key.startsWith('endpoint:')) this.#read.delete(key);
  }

  /** In a plan: would anything that was planned so far make a difference? */
  get anyPredicted(): boolean {
    return this.#overlay.size > 0 || this.#everything.size > 0;
  }

  /** In a plan: will a fact of this name differ on any host? */
  predicts(fact: string): boolean {
    return [...this.#overlay.values()].some((laid) => [...laid.values()].some(({ ref }) => ref.fact === fact));
  }

  /** In a plan: does a step make or change something in this directory? */
  touchesBelow(of: Subject, directory: string): boolean {
    const touched = this.#touchedPaths.get(keyOf(of)) ?? [];
    return touched.some(({ touch }) => touch.key !== directory && isWithin(touch.key, directory));
  }

  /** In a plan: these will differ in a way that is not known. */
  layUnknown(touches: readonly Touch[], cause: Cause): void {
    for (const touch of touches) {
      if ('everything' in touch) {
        this.#overlay.delete(keyOf(touch.of));
        this.#everything.set(keyOf(touch.of), cause);
      } else {
        this.#lay(touch, { known: false, ...cause });
        this.#layKin(touch, cause);
      }
    }
  }

  /** In a plan: what a change touches is unknown, save what it predicts. */
  layPredictions(touches: readonly Touch[], predicts: readonly Prediction[], cause: Cause): void {
    this.layUnknown(touches, cause);
    for (const p of predicts) {
      const reading: Known<Json> =
        'unknown' in p ? { known: false, ...cause, because: p.unknown } : { known: true, value: p.value };
      this.#lay(p.ref, reading);
      const touched = this.#touchedPaths.get(keyOf(p.ref.of))?.findLast(({ touch }) => refKey(touch) === refKey(p.ref));
      if (touched !== undefined && 'value' in p && p.ref.fact === 'tree') touched.tree = p.value as unknown as FileTree;
    }
  }

  #lay(ref: FactRef, reading: Known<Json>): void {
    const of = keyOf(ref.of);
    const laid = this.#overlay.get(of) ?? new Map<string, { ref: FactRef; reading: Known<Json> }>();
    this.#overlay.set(of, laid.set(refKey(ref), { ref, reading }));
  }

  /** A file that differs makes the trees that hold it differ, and a tree that differs the files in it. */
  #layKin(touch: FactRef, cause: Cause): void {
    if (!PATH_FACTS.has(touch.fact)) return;
    const of = keyOf(touch.of);
    const laid = this.#overlay.get(of);
    for (const [key, { ref }] of laid ?? []) if (areKin(ref, touch)) laid?.delete(key);
    this.#touchedPaths.set(of, [...(this.#touchedPaths.get(of) ?? []), { touch, cause }]);
  }

  /** In an apply nothing is predicted, and this is asked with each lookup. */
  #everythingOf(subject: Subject, of: string): Cause | undefined {
    if (this.#everything.size === 0) return undefined;
    return this.#everything.get(of) ?? this.#everything.get(keyOf(allNodes(subject)));
  }

  #kinOf(ref: FactRef, of: string): TouchedPath | undefined {
    if (!PATH_FACTS.has(ref.fact)) return undefined;
    return this.#touchedPaths.get(of)?.findLast(({ touch }) => areKin(ref, touch));
  }
}

/** The endpoint of a node, as whoever acts on all its nodes names it. */
const allNodes = (of: Subject): Subject => ('endpoint' in of ? { endpoint: of.endpoint } : of);

const readingOf = (answer: Answer): Reading =>
  answer.is === 'value' ? { known: true, value: answer.value } : { failed: answer };

/** Below a tree whose contents are predicted, what the tree does not hold is not there. Of a file that it holds, the tree does not have everything. */
function readingBelow(ref: FactRef, { touch, cause, tree }: TouchedPath): Known<Json> {
  const absent = ABSENT[ref.fact];
  const path = ref.key.slice(touch.key.endsWith('/') ? touch.key.length : touch.key.length + 1);
  const isBelow = touch.fact === 'tree' && ref.key !== touch.key && isWithin(ref.key, touch.key);
  if (tree === undefined || absent === undefined || !isBelow) return { known: false, ...cause };
  // Through a link it may lead anywhere.
  const isThere = tree?.some((entry) => entry.path === path || (entry.type === 'link' && isWithin(path, entry.path)));
  return isThere === true ? { known: false, ...cause } : { known: true, value: absent };
}

/** Of two facts of one subject. */
const areKin = (ref: FactRef, touch: FactRef): boolean =>
  PATH_FACTS.has(ref.fact) &&
  (ref.fact !== touch.fact || ref.key !== touch.key) &&
  ((ref.fact === 'tree' && isWithin(touch.key, ref.key)) || (touch.fact === 'tree' && isWithin(ref.key, touch.key)));
