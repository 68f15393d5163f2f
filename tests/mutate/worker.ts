import { Judge } from './judge.js';
import type { Course } from './scenario.js';
import { scenarios } from './scenarios/index.js';
import { allMutants } from './shipped.js';

/** A process of `npm run mutate`: given the scenarios' courses first, then the numbers of mutants, one after the other. */
const mutants = allMutants();
let judge = new Judge(scenarios, []);

process.on(
  'message',
  (message: { readonly courses: readonly Course[]; readonly patienceMs: number } | { readonly nth: number }) => {
    if ('courses' in message) {
      judge = new Judge(scenarios, message.courses, message.patienceMs);
      process.send?.({ ready: true });
      return;
    }
    const mutant = mutants[message.nth];
    if (mutant === undefined) throw new Error(`there is no mutant ${message.nth}`);
    const start = performance.now();
    void judge.judge(mutant).then((verdict) => {
      process.send?.({ nth: message.nth, verdict, tookMs: Math.round(performance.now() - start) });
    });
  },
);
