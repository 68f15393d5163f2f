import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunFolder } from '../../journal/run-folder.js';
import type { Secrets } from '../../terms/machine.js';

/** Keeps the traces of a run's defects in its folder, without secrets; answers the file. */
export function traceKeeper({ path }: RunFolder, secrets: Secrets): (error: unknown, at: string) => string {
  const file = join(path, 'defects.log');
  return (error, at) => {
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const text = secrets.redact(`${new Date().toISOString()} ${at}\n${trace}\n\n`);
    try {
      appendFileSync(file, text, { mode: 0o600 });
    } catch {
      process.stderr.write(text);
    }
    return file;
  };
}
