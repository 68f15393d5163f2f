import type { Ended } from '../rules.js';

export const done = (stdout = '', tookMs = 20): Ended => ({ exit: 0, stdout, stderr: '', tookMs });

export const fails = (exit: number, stderr: string, tookMs = 20): Ended => ({ exit, stdout: '', stderr, tookMs });
