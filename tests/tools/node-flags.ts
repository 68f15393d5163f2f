import { setFlagsFromString } from 'node:v8';

/**
 * V8 optimizes a function when it has run for a while. Each test file and each process of the program starts cold and ends within
 * seconds, and so a third of its CPU time went into machine code that was hardly used. Newer versions of Node have no such flag.
 */
export const nodeFlags: readonly string[] = process.versions.v8.startsWith('11.') ? ['--interrupt-budget=600000'] : [];

// Jest evaluates this before each test file (setupFiles).
for (const flag of nodeFlags) setFlagsFromString(flag);
