import type { Carried, Need } from './carriers.js';
import { isOf, type Proof } from './evidence.js';
import type { Finding, NamedTest } from './items.js';

/** Which test files tried an item: what the page names. By the item's key. */
export type Tried = Readonly<Record<string, readonly string[]>>;

/** Named first of those that tried a thing: it goes the whole way. */
const FIRST = 'tests/playbooks/upgrade/upgrade.test.ts';

/** A need and how to see it met; a refusal is one that no test saw met until a carrier refused. */
type Demand = (proof: Proof) => boolean;

/** Everything that tests must have seen of an item. Nothing for one that only has a reason. */
export function demandsOf({ item, needs }: Carried): readonly (readonly [what: string, met: Demand])[] {
  const met =
    (need: Need, kinds?: readonly string[]): Demand =>
    ({ seen }) =>
      seen.some((s) => (kinds === undefined || kinds.includes(s.as)) && need.of.some((one) => isOf(s, one)));
  const all: Need = { what: '', of: needs.flatMap(({ of }) => of) };
  return [
    ...needs.map((need) => [`an event of ${need.what}`, met(need)] as const),
    ...(item.refused ? [['a refusal', met(all, ['blocked', 'failed', 'found'])] as const] : []),
    ...item.tests.map((test) => [`the test "${test.name}" of ${test.file}`, passed(test)] as const),
  ];
}

const passed =
  ({ file, name }: NamedTest): Demand =>
  (proof) =>
    proof.file === file && proof.tests.some((test) => test.includes(name));

/** Real hosts: what they saw is printed where it is known, and not required, because it takes root and an hour. */
export const onRealHosts = (file: string): boolean => /^tests\/(system|trials)\//.test(file);

/**
 * Chooses test files for each item: those named before where they still hold or cannot be looked at now, so that the page does not
 * follow the order of runs; else the first that can show it, by name.
 */
export function choose(carried: readonly Carried[], proofs: readonly Proof[], before: Tried): Tried {
  // What an older run, or one that failed, did not see says nothing against a file.
  const known = new Set(proofs.flatMap((proof) => (proof.fresh && !proof.failed ? [proof.file] : [])));
  const sorted = [...proofs].sort((a, b) => (a.file < b.file ? -1 : 1));
  const chosen = carried.map((one): readonly [string, readonly string[]] => {
    const named = before[one.item.key] ?? [];
    const unknown = named.filter((file) => !known.has(file));
    const demands = demandsOf(one);
    const files = demands.flatMap(([, met]) => {
      const able = sorted.filter((proof) => !onRealHosts(proof.file) && met(proof)).map(({ file }) => file);
      const one = [FIRST, ...named].find((file) => able.includes(file));
      if (one !== undefined) return [one];
      // Real hosts show nothing here: what only they saw so far is looked for elsewhere, too.
      const mayShow = unknown.filter((file) => !onRealHosts(file));
      return mayShow.length > 0 ? mayShow : able.slice(0, 1);
    });
    const real = proofs.filter((proof) => onRealHosts(proof.file) && demands.some(([, met]) => met(proof)));
    const all = [...files, ...unknown.filter(onRealHosts), ...real.map(({ file }) => file)];
    return [one.item.key, [...new Set(all)].sort()];
  });
  return Object.fromEntries(chosen.filter(([, files]) => files.length > 0));
}

/** What is wrong with what carries the items and with what tests saw of them, given what the page says tried them. */
export function judge(carried: readonly Carried[], proofs: readonly Proof[], tried: Tried): readonly Finding[] {
  const fresh = proofs.filter((proof) => proof.fresh && !onRealHosts(proof.file));
  return carried.flatMap((one): readonly Finding[] => [
    ...one.findings,
    ...unseen(one, fresh, tried[one.item.key] ?? []).map((says) => ({ at: one.item.key, says })),
  ]);
}

function unseen(one: Carried, fresh: readonly Proof[], named: readonly string[]): readonly string[] {
  const demands = demandsOf(one);
  const excused = one.item.reason !== undefined || one.item.later !== undefined;
  if (demands.length === 0 && one.carriers.length > 0 && !excused)
    return ['only source files carry it, which leave no events: name a test that tries it (tests:)'];
  const missing = demands.filter(([, met]) => !fresh.some((proof) => named.includes(proof.file) && met(proof)));
  const [elsewhere, nowhere] = [
    missing.filter(([, met]) => fresh.some(met)),
    missing.filter(([, met]) => !fresh.some(met)),
  ];
  return [
    ...(nowhere.length === 0
      ? []
      : [`no journal kept from the test runs has ${nowhere.map(([what]) => what).join('; nor ')}`]),
    ...(elsewhere.length === 0 ? [] : ['other tests tried it than the page says: npm run docs']),
  ];
}
