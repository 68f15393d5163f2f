import base from '../../jest.config.js';

/** One whole run of each kind, of those in the folders of whole runs: an upgrade, and one whose controller is killed at each of its effects. */
const FIRST = ['tests/playbooks/upgrade/upgrade.test.ts', 'tests/playbooks/crash.test.ts'];
const WHOLE_RUNS = 'cli|mutate|playbooks';

/** `npm test`: what is tried without whole runs, and the first of those. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: [`<rootDir>/tests/!(${WHOLE_RUNS})/**/*.test.ts`, ...FIRST.map((file) => `<rootDir>/${file}`)],
};

/** `npm run test:model`: the shipped playbooks in all their variants on the model, and the program as a process. */
export const model = {
  ...base,
  rootDir: '../..',
  testMatch: [`<rootDir>/tests/@(${WHOLE_RUNS})/**/*.test.ts`],
  testPathIgnorePatterns: [...base.testPathIgnorePatterns, ...FIRST],
};
