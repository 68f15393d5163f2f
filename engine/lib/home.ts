import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** A user id may have no name and no home, as in a container. */
function homeOf(env: Env): string {
  try {
    return env['HOME'] ?? homedir();
  } catch {
    return '/';
  }
}

/** A path as a file writes it, absolute: seen from that file, `~/` from the home directory. */
export const pathFrom = (file: string, written: string, env: Env): string =>
  written === '~' || written.startsWith('~/') ? join(homeOf(env), written.slice(1)) : resolve(dirname(file), written);

/** What the user keeps of `runbook` for all inventories: in the folder that the variable names, else in this one of the home. */
export function userFolder(env: Env, variable: 'XDG_CONFIG_HOME' | 'XDG_STATE_HOME', inHome: string): string {
  const named = env[variable] ?? '';
  return join(named === '' ? join(homeOf(env), inHome) : named, 'runbook');
}
