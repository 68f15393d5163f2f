import { compareDeb } from '../lib/version.js';

/** True when version `a` is newer than `b`, by dpkg's order (`4.14` is newer than `4.9`). Both bare. */
export const newerThan = (a: string, b: string): boolean => compareDeb(a, b) > 0;
