import base from '../../jest.config.js';

/** The same, for tests that need root and real hosts: in serial order, each with minutes to spare. */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/tests/system'],
  testPathIgnorePatterns: ['/node_modules/'],
  // What execa keeps on `process` makes Jest's own tidying up recur without end; each file has a process's life anyway.
  testEnvironmentOptions: { globalsCleanup: 'off' },
  globalTeardown: '<rootDir>/tests/system/support/teardown.js',
  testTimeout: 1_800_000,
};
