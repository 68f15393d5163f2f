import type { Place } from './mentions.js';
import type { Mutant } from './mutants.js';
import type { Course, Scenario } from './scenario.js';
import { filesOf, placesOf, Shipped } from './shipped.js';
import { Stage } from './stage.js';

export type Verdict =
  /** `validate` does: it is not counted. */
  | { readonly is: 'refused' }
  | { readonly is: 'killed'; readonly by: string; readonly why: string }
  | { readonly is: 'survived'; readonly tried: number };

/** Judges mutants in serial order, and learns which scenarios notice what. */
export class Judge {
  readonly #kills = new Map<string, number>();
  readonly #scenarios: readonly {
    readonly scenario: Scenario;
    readonly course: Course;
    readonly stems: ReadonlySet<string>;
  }[];
  /** In how many scenarios' names each stem stands. */
  readonly #stems: ReadonlyMap<string, number>;

  /** `patienceMs`: a mutant that was not missed for so long survives. */
  constructor(
    scenarios: readonly Scenario[],
    courses: readonly Course[],
    readonly patienceMs = Infinity,
  ) {
    this.#scenarios = scenarios.flatMap((scenario) => {
      const course = courses.find(({ name }) => name === scenario.name);
      return course === undefined ? [] : [{ scenario, course, stems: stemsOf(scenario.name) }];
    });
    this.#stems = countsOf(this.#scenarios.map(({ stems }) => stems));
  }

  async judge(mutant: Mutant): Promise<Verdict> {
    const shipped = new Shipped(mutant);
    for (const [playbook, files] of filesOf)
      if (files.has(mutant.file) && (mutant.file !== 'platform.yaml' || playbook === 'upgrade-4.14.yaml'))
        if ((await shipped.accepted(playbook)) === undefined) return { is: 'refused' };
    const able = this.#inOrder(mutant);
    const start = performance.now();
    for (const [tried, { run, name }] of able.entries()) {
      if (performance.now() - start > this.patienceMs) return { is: 'survived', tried };
      try {
        await run(new Stage(shipped));
      } catch (error) {
        for (const key of keysOf(mutant, name)) this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1);
        return { is: 'killed', by: name, why: error instanceof Error ? (error.message.split('\n')[0] ?? '') : '' };
      }
    }
    return { is: 'survived', tried: able.length };
  }

  /** Those that come by where it was altered: first what noticed most around there, what ends there, and what is quick. */
  #inOrder(mutant: Mutant): readonly Scenario[] {
    const weight = (name: string): number =>
      keysOf(mutant, name).reduce((sum, key, i) => sum + (this.#kills.get(key) ?? 0) * 10 ** (3 - i), 0);
    // What a step does is missed by whoever looks at the end; what a check lets pass, by whoever is stopped there.
    const acts = mutant.kind !== 'check' && mutant.kind !== 'condition';
    const places = placesOf(mutant);
    const key = lastKeyOf(mutant);
    const able = this.#scenarios
      .map((one) => ({ ...one, there: thereIn(one.course, mutant, places) }))
      .filter(({ there }) => there.near > 0);
    const marked = countsOf(able.map(({ there }) => there.marks));
    const own = stemsOf(mutant.id);
    return able
      .map(({ scenario, course, stems, there: { near, marks } }) => ({
        scenario,
        rank:
          ((scenario.whole === true && acts ? 5 : near ** 4) +
            (scenario.about?.includes(key) === true ? 100 : 0) +
            // A result that no other course has, and rare words in common: the scenario is most likely about this.
            20 * Math.max(0, ...[...marks].map((mark) => 1 / (marked.get(mark) ?? 1))) +
            20 * sum([...stems].map((stem) => (own.has(stem) ? 1 / (this.#stems.get(stem) ?? 1) : 0))) +
            weight(scenario.name)) /
          (100 + course.tookMs),
      }))
      .toSorted((a, b) => b.rank - a.rank)
      .map(({ scenario }) => scenario);
  }
}

const stemsOf = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/[a-z]{4,}/g) ?? []).map((word) => word.slice(0, 5)));

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** How many of these sets have each element. */
function countsOf(sets: readonly ReadonlySet<string>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const set of sets) for (const one of set) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

const lastKeyOf = ({ path }: Pick<Mutant, 'path'>): string => String(path.findLast((key) => typeof key === 'string'));

/** What notices a short timeout in one place notices it in the next: what is altered counts nearly as much as where. */
const keysOf = ({ file, play, step, path }: Mutant, name: string): readonly string[] => [
  `${file}/${play ?? ''}/${step ?? ''} ${name}`,
  `${file} ${lastKeyOf({ path })}: ${name}`,
  `${file}/${play ?? ''} ${name}`,
  `${file} ${name}`,
];

/** Of what is altered, in one course. */
interface There {
  /** 0 when the course does not come by there, 1 when it ends there: what it asserts is then most likely about that. */
  readonly near: number;
  /** What the step or play came to. */
  readonly marks: ReadonlySet<string>;
}

function thereIn({ files, seen }: Course, { file, step, path }: Mutant, places: readonly Place[]): There {
  if (!files.includes(file)) return { near: 0, marks: new Set() };
  if (places.length === 0) return { near: 0.5, marks: new Set() };
  const ends = places.map(endOf);
  const all = Object.entries(seen);
  const isThere = ([one]: readonly [string, unknown]): boolean =>
    // Of a loop each element has a path of its own: `Pause the unit [monit.service]`.
    ends.some((end) => `/${one}`.endsWith(`/${end}`) || `/${one}`.includes(`/${end} [`));
  const at = all.findLastIndex(isThere);
  const marks = new Set(all.filter(isThere).flatMap(([, of]) => of));
  // A skipped step has no effect to lose; only that it is skipped can be noticed.
  const idle =
    step !== undefined &&
    places.every((place) => place.step !== undefined) &&
    !path.includes('when') &&
    [...marks].every((mark) => mark.startsWith('-'));
  return { near: idle ? 0 : (at + 1) / all.length, marks };
}

/** The end of the path by which events name it. */
function endOf({ file, play = '', step }: Place): string {
  const base = file.replace(/^.*\//, '').replace(/\.yaml$/, '');
  return `${base}/${play}${step === undefined ? '' : `/${step}`}`;
}
