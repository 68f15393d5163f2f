import { copyFile, chmod } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { failed, reached, type Reached } from './machine.js';
import type { Channel, Transport } from './transport.js';

/** This machine, by its own `/bin/sh`: for a host whose `machine` is `local`, and for trying the shell protocol without a network. */
export function createLocal(): Transport {
  const open = new Set<Channel>();
  return {
    user: userInfo().username,
    isLost: false,
    async exec(commandLine) {
      const channel = await start(commandLine);
      open.add(channel);
      void channel.ended.then(() => open.delete(channel));
      return reached(channel);
    },
    async upload(source, path): Promise<Reached<true>> {
      try {
        await copyFile(source, path);
        await chmod(path, 0o600);
        return reached(true);
      } catch (error) {
        return failed('unreadable', `${source} could not be copied to ${path}: ${(error as Error).message}`);
      }
    },
    close() {
      for (const channel of open) channel.close();
      return Promise.resolve();
    },
  };
}

/** In a process group of its own, so that its end is the end of all that it started. */
async function start(commandLine: string): Promise<Channel> {
  const { execa } = await import('execa');
  const child = execa('/bin/sh', ['-c', commandLine], {
    buffer: false,
    detached: true,
    encoding: 'buffer',
    reject: false,
    stdin: 'pipe',
    stripFinalNewline: false,
  });
  child.stdin.on('error', () => undefined);
  const end = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended already, or works as another user, and sees its standard input end.
      child.kill('SIGKILL');
    }
  };
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    // Not the promise of execa: that waits for daemons which still hold an output.
    ended: new Promise((resolve) => {
      child.once('exit', (exit) => resolve({ exit })).once('error', () => resolve({ exit: null }));
    }),
    close: end,
  };
}
