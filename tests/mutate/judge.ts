import type { Mutant } from './mutants.js';
import type { Course, Scenario } from './scenario.js';
import { filesOf, Shipped } from './shipped.js';
import { Stage } from './stage.js';

export type Verdict =
  /** `validate` does: it is not counted. */
  | { readonly is: 'refused' }
  | { readonly is: 'killed'; readonly by: string; readonly why: string }
  | { readonly is: 'survived'; readonly tried: number };

/** Judges mutants, one after the other, and learns which scenarios notice what. */
export class Judge {
  readonly #kills = new Map<string, number>();
  readonly #scenarios: readonly { readonly scenario: Scenario; readonly course: Course }[];

  /** `patienceMs`: a mutant that was not missed for so long survives. */
  constructor(
    scenarios: readonly Scenario[],
    courses: readonly Course[],
    readonly patienceMs = Infinity,
  ) {
    this.#scenarios = scenarios.flatMap((scenario) => {
      const course = courses.find(({ name }) => name === scenario.name);
      return course === undefined ? [] : [{ scenario, course }];
    });
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
    return this.#scenarios
      .map(({ scenario, course }) => ({ scenario, course, near: nearnessOf(course, mutant) }))
      .filter(({ near }) => near > 0)
      .map(({ scenario, course, near }) => ({
        scenario,
        rank: ((scenario.whole === true && acts ? 5 : near ** 4) + weight(scenario.name)) / (100 + course.tookMs),
      }))
      .toSorted((a, b) => b.rank - a.rank)
      .map(({ scenario }) => scenario);
  }
}

/** What notices a short timeout in one place notices it in the next: what is altered counts nearly as much as where. */
const keysOf = ({ file, play, step, path }: Mutant, name: string): readonly string[] => [
  `${file}/${play ?? ''}/${step ?? ''} ${name}`,
  `${file} ${String(path.findLast((key) => typeof key === 'string'))}: ${name}`,
  `${file}/${play ?? ''} ${name}`,
  `${file} ${name}`,
];

/** 0 when the course does not come by there, 1 when it ends there: what it asserts is then most likely about that. */
function nearnessOf({ files, seen }: Course, { file, play, step }: Mutant): number {
  if (!files.includes(file)) return 0;
  if (play === undefined) return 0.5;
  const base = file.replace(/^.*\//, '').replace(/\.yaml$/, '');
  const end = `${base}/${play}${step === undefined ? '' : `/${step}`}`;
  const at = seen.findLastIndex((path) => path === end || path.endsWith(`/${end}`));
  return (at + 1) / seen.length;
}
