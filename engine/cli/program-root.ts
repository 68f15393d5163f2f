import { fileURLToPath } from 'node:url';

/** The directory of the program, with playbooks/, schemas/ and package.json. From here and from the bundle in dist/cli it is two up. */
export const programRoot = fileURLToPath(new URL('../../', import.meta.url));
