import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import ssh2, { type AuthContext, type Connection, type ServerChannel } from 'ssh2';
import { newHostKey } from './ssh-server.js';

const { Server } = ssh2;

/** What a host does otherwise than sshd and a shell do; whatever is not named here is done as they do it. */
export interface Hostile {
  /** Instead of speaking SSH. */
  readonly wire?: (socket: Socket, stall: () => void) => void;
  readonly login?: (auth: AuthContext, stall: () => void) => void;
  /** It answers no request for a session, a program, SFTP, or a connection from there to another host. */
  readonly ignores?: 'session' | 'exec' | 'sftp' | 'forward';
  /** What is run for a command line. */
  readonly program?: (commandLine: string) => string;
  /** What is sent for a piece of a shell's output; undefined: the connection is cut there. */
  readonly said?: (piece: string, stall: () => void) => string | undefined;
  /** It is silent from here on: nothing follows what its programs print. */
  readonly isSilent?: true;
}

const key = newHostKey();

/** A host of this process on loopback. `stall` is called once nothing more will come from it. */
export async function startHostile(hostile: Hostile, stall: () => void) {
  const sockets = new Set<Socket>();
  const programs = new Set<ChildProcessWithoutNullStreams>();
  const sent = { bytes: 0 };
  const serve = (peer: Connection): void => {
    peer.on('error', () => undefined);
    peer.on('authentication', (auth) => (hostile.login ?? acceptAll)(auth, stall));
    if (hostile.ignores === 'forward') peer.on('tcpip', stall);
    peer.on('session', (accept) => {
      if (hostile.ignores === 'session') {
        stall();
        return;
      }
      const session = accept();
      if (hostile.ignores === 'sftp') session.on('sftp', stall);
      session.on('exec', (acceptExec, _reject, { command }) => {
        if (hostile.ignores === 'exec') {
          stall();
          return;
        }
        run(acceptExec(), hostile.program?.(command) ?? command, peer);
      });
    });
  };
  const run = (channel: ServerChannel, commandLine: string, peer: Connection): void => {
    const program = spawn('/bin/sh', ['-c', commandLine], { detached: true });
    programs.add(program);
    channel.on('error', () => undefined).pipe(program.stdin.on('error', () => undefined));
    if (hostile.said === undefined) program.stdout.pipe(channel, { end: false });
    else
      program.stdout.on('data', (piece: Buffer) => {
        const said = hostile.said?.(piece.toString('latin1'), stall);
        if (said === undefined) peer.end();
        else channel.write(Buffer.from(said, 'latin1'));
      });
    program.stderr.pipe(channel.stderr, { end: false });
    // A client that closes a channel ends what runs there, as a hang-up does.
    channel.once('close', () => end(program));
    program.once('close', (code) => {
      channel.exit(code ?? 1);
      channel.end();
    });
    if (hostile.isSilent === true) stall();
  };
  const ssh = new Server({ hostKeys: [key.private] }, serve);
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('close', () => {
      sent.bytes += socket.bytesWritten;
    });
    if (hostile.wire === undefined) ssh.injectSocket(socket);
    else hostile.wire(socket, stall);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    known: `[127.0.0.1]:${port} ${key.public}\n`,
    sent,
    async close(): Promise<void> {
      programs.forEach(end);
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

const acceptAll = (auth: AuthContext): void => auth.accept();

/** Also of what its first program left behind. */
function end({ pid, stdout, stderr }: ChildProcessWithoutNullStreams): void {
  stdout.destroy();
  stderr.destroy();
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Sends this piece again and again, as fast as it is read. */
export function pump(socket: Socket, piece: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece, 'latin1'));
  };
  socket.on('drain', more);
  more();
}
