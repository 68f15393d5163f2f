import { contractOf } from './executor-contract.js';

contractOf('this process', (_inventory, fleet) =>
  Promise.resolve({
    executor: {
      ...fleet.actor,
      ask: (needs, context) => fleet.reader.ask(needs, context),
      swap: (...asked) => fleet.swap(...asked),
      exchange: (request) => fleet.exchange(request),
      close: () => fleet.close(),
    },
    end: () => Promise.resolve(),
  }),
);
