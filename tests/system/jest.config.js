import base from '../../jest.config.js';

// A long trial runs where it is named, and once for its figures: CI has 90 minutes.
const isTrial = process.argv.some((arg) => arg.includes('tests/trials'));

/** The same, for tests that need root and real hosts: in serial order, each with minutes to spare. */
export default {
  ...base,
  rootDir: '../..',
  roots: [isTrial ? '<rootDir>/tests/trials' : '<rootDir>/tests/system'],
  testPathIgnorePatterns: ['/node_modules/'],
  // What execa keeps on `process` makes Jest's own tidying up recur without end; each file has a process's life anyway.
  testEnvironmentOptions: { globalsCleanup: 'off' },
  globalTeardown: '<rootDir>/tests/system/support/teardown.js',
  testTimeout: 1_800_000,
};
