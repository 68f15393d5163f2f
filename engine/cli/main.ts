#!/usr/bin/env node
import { VERBS } from './verbs.js';

/** Everything heavy is loaded by the verb that needs it: `--version` and a typing mistake cost a blink. */
async function main(argv: readonly string[]): Promise<number> {
  const [verb = '', ...rest] = argv;
  if (verb === '--version' || verb === '-V') {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  if (verb === '' || verb === '--help' || verb === '-h' || verb === 'help') {
    const { usage } = await import('./usage.js');
    process.stdout.write(usage(rest[0]));
    return 0;
  }
  const load = VERBS[verb];
  if (load === undefined) {
    const { unknownVerb } = await import('./usage.js');
    process.stderr.write(unknownVerb(verb));
    return 2;
  }
  return (await load()).run(rest);
}

declare const RUNBOOK_VERSION: string;
const VERSION = typeof RUNBOOK_VERSION === 'string' ? RUNBOOK_VERSION : 'unbuilt';

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`runbook: this is a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  },
);
