import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { traceText } from '../../lib/trace-text.js';

/** Keeps the traces of defects in a folder; says where. */
export function traceKeeper(folder: string): (error: unknown, at: string) => string {
  const file = join(folder, 'defects.log');
  return (error, at) => {
    const text = `${new Date().toISOString()} ${traceText(at)}\n${traceText(error)}\n\n`;
    try {
      mkdirSync(folder, { recursive: true });
      appendFileSync(file, text, { mode: 0o600 });
      return file;
    } catch {
      process.stderr.write(text);
      return 'what this command printed on standard error';
    }
  };
}
