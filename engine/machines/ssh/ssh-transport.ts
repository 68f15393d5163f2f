import type { Client, ClientChannel, SFTPWrapper } from 'ssh2';
import type { Clock } from '../../terms/machine.js';
import { sayGoodbye } from './ssh-goodbye.js';
import { failed, reached, type Reached } from '../machine.js';
import { within } from '../time-limit.js';
import type { Channel, Transport } from '../transport.js';

/**
 * Programs over one ssh connection, each on a channel of its own. `isLost` turns true when the connection ends. Where sshd opens no further
 * session (`MaxSessions 1`), a program has a connection from `another`, which ends with it.
 */
export function createSshTransport(
  client: Client,
  user: string,
  clock: Clock,
  another: () => Promise<Reached<Client>> = () => Promise.resolve(refused),
): Transport {
  let isLost = false;
  const lost = new Promise<void>((resolve) => {
    client.once('close', () => {
      isLost = true;
      resolve();
    });
  });
  // Errors after the login end in `close`, and whoever waits for an answer learns of it there.
  client.on('error', () => undefined);
  return {
    user,
    get isLost() {
      return isLost;
    },
    async exec(commandLine) {
      const channel = await execOn(client, commandLine, lost);
      if (channel !== refused) return channel;
      const other = await another();
      if (other.is === 'failed') return other;
      const ended = new Promise<void>((resolve) => other.value.once('close', () => resolve()));
      return execOn(other.value, commandLine, ended, () => void sayGoodbye(other.value));
    },
    upload: (source, path) => upload(client, clock, source, path),
    close: () => (isLost ? lost : sayGoodbye(client)),
  };
}

function channelOf(stream: ClientChannel, lost: Promise<void>): Channel {
  stream.on('error', () => undefined);
  return {
    stdin: stream,
    stdout: stream,
    stderr: stream.stderr,
    ended: new Promise((resolve) => {
      // `exit` comes with the program's end; the channel may stay open for a daemon that it left behind.
      stream.once('exit', (exit: number | null) => resolve({ exit: typeof exit === 'number' ? exit : null }));
      stream.once('close', () => resolve({ exit: null }));
      void lost.then(() => resolve({ exit: null }));
    }),
    close: () => stream.close(),
  };
}

const refused: Reached<never> = failed(
  'unreadable',
  'sshd opens no further session on this connection',
  'MaxSessions in sshd_config may be set very low',
);

/** Starts a program on a channel of its own; `refused` when sshd opens none. `onEnd` is called once, when nothing more will come of it. */
function execOn(
  client: Client,
  commandLine: string,
  lost: Promise<void>,
  onEnd: () => void = () => undefined,
): Promise<Reached<Channel>> {
  return new Promise((resolve) => {
    void lost.then(() => resolve(failed('unreachable', 'the connection was lost')));
    const notStarted = (error: Error): void => {
      onEnd();
      resolve(
        /open failed|channel/i.test(error.message)
          ? refused
          : failed('unreachable', `nothing could be started: ${error.message}`),
      );
    };
    try {
      client.exec(commandLine, (error, stream) => {
        if (error !== undefined) {
          notStarted(error);
          return;
        }
        stream.once('close', onEnd);
        resolve(reached(channelOf(stream, lost)));
      });
    } catch (error) {
      notStarted(error as Error);
    }
  });
}

const sftpLimitMs = 30_000;

/** By SFTP, whose many requests under way make it fast. The file is made first, for its maker alone, and never over another. */
async function upload(client: Client, clock: Clock, source: string, path: string): Promise<Reached<true>> {
  const opening = new Promise<SFTPWrapper | undefined>((resolve) => {
    client.sftp((error, opened) => resolve(error === undefined ? opened : undefined));
  });
  const sftp = await within(opening, sftpLimitMs, clock);
  if (sftp === 'timeout') {
    void opening.then((late) => late?.end());
    return failed('unreadable', `sshd opens no SFTP within ${sftpLimitMs / 1000} s`);
  }
  if (sftp === undefined) return failed('unreadable', 'sshd offers no SFTP');
  const error = await new Promise<Error | null | undefined>((resolve) => {
    client.once('close', () => resolve(new Error('the connection was lost')));
    sftp.open(path, 'wx', { mode: 0o600 }, (noFile, handle) => {
      if (noFile !== undefined) resolve(noFile);
      else sftp.close(handle, () => sftp.fastPut(source, path, resolve));
    });
  });
  sftp.end();
  return error == null ? reached(true) : failed('unreadable', `${source} could not be sent: ${error.message}`);
}
