import { follow } from './scenario.js';
import { scenarios } from './scenarios/index.js';
import { Shipped } from './shipped.js';

/** A process of `npm run mutate` that tries scenarios on the shipped playbooks, by their numbers. */
const shipped = new Shipped();

process.on('disconnect', () => process.exit(1));
process.on('message', ({ nth }: { readonly nth?: number }) => {
  if (nth === undefined) {
    process.send?.({ ready: true });
    return;
  }
  const scenario = scenarios[nth];
  if (scenario === undefined) throw new Error(`there is no scenario ${nth}`);
  follow(scenario, shipped).then(
    (course) => process.send?.({ course }),
    (error: unknown) =>
      process.send?.({ wrong: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
