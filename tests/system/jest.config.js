import base from '../../jest.config.js';

/** The same, for tests that need root and real hosts: one after the other, each with minutes to spare. */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/tests/system'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalTeardown: '<rootDir>/tests/system/support/teardown.js',
  testTimeout: 1_800_000,
};
