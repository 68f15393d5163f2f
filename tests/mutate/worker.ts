import { Judge } from './judge.js';
import type { Course } from './scenario.js';
import { after, withAgents } from './ours.js';
import { scenarios } from './scenarios/index.js';
import { allMutants, Shipped } from './shipped.js';
import { Stage } from './stage.js';

/** A process of `npm run mutate`: given the scenarios' courses first, then the numbers of mutants in serial order. */
const mutants = allMutants();
let judge = new Judge(scenarios, []);

// Without the process that asks there is nothing left to judge, whatever is in progress.
process.on('disconnect', () => process.exit(1));
process.on(
  'message',
  (message: { readonly courses: readonly Course[]; readonly patienceMs: number } | { readonly nth: number }) => {
    if ('courses' in message) {
      const whole = new Stage(new Shipped());
      judge = new Judge(scenarios, message.courses, message.patienceMs);
      // What many scenarios begin with is made once, before anybody's patience counts.
      void Promise.all([withAgents(whole), after('agents', whole)]).then(() => process.send?.({ ready: true }));
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
