import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Runs of the tests are no rehearsals of the user's own: workers, and the programs that they start, inherit this.
process.env['XDG_STATE_HOME'] = join(tmpdir(), `runbook-tests-${process.pid}`);

/** Jest runs the TypeScript sources as ES modules; swc strips the types, `npm run check` checks them. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/tests'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/tests/lab/',
    '<rootDir>/tests/system/',
    '<rootDir>/tests/trials/',
  ],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js'] },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } },
    ],
  },
  setupFiles: ['<rootDir>/tests/tools/node-flags.ts'],
  // Which tests passed: docs/specification.md names those that tried an item.
  reporters: ['default', '<rootDir>/tests/specification/reporter.js'],
  // Jest leaves a core to itself, which on two cores is half of them.
  maxWorkers: '100%',
  // The modules of a test file stay in memory after it, and garbage collection of a heap of 2 GB is slow: such a worker is restarted.
  workerIdleMemoryLimit: '700MB',
  // For a machine that is busy with other work: a test that hangs ends, a slow one does not.
  testTimeout: 240000,
};
