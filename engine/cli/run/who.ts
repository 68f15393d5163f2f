import { hostname, userInfo } from 'node:os';
import { VERSION } from '../options/version.js';

/** Who runs this process where, and with which version of `runbook`: what an audit asks of each run. */
export const who = (): { readonly by: string; readonly version: string } => ({
  by: `${userName()}@${hostname()}`,
  version: VERSION,
});

/** A user id may have no name, as in a container. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
