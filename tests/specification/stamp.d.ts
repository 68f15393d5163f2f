/** Files of a folder and those below it, by their path from the root, sorted. */
export function filesBelow(root: string, folder: string, ending: string): readonly string[];
/** What a test run hangs on, so far as the table of the specification is concerned: the playbooks and the test's own text. */
export function stampOf(root: string, testFile: string): string;
/** Where a part of what the tests of a file left is kept: below `.evidence/`, which git ignores. */
export function partOf(root: string, part: 'events' | 'passed', testFile: string): string;
