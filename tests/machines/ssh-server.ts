import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import ssh2, { type Connection } from 'ssh2';

const { Server, utils } = ssh2;

export interface SshServer {
  readonly port: number;
  /** Its line in known_hosts. */
  readonly known: string;
  /** Connections stay open and are still accepted, and from now on nothing comes from any of them. */
  fallSilent(): void;
  /** Settles when a client of the silent server has spoken; its time limits run by then. */
  greeted(): Promise<void>;
  /** Settles when that client has ended the connection. */
  left(): Promise<void>;
  close(): void;
}

/** Now and then the library makes an ed25519 key that it cannot read again. */
export function newHostKey(): { readonly private: string; readonly public: string } {
  for (;;) {
    const pair = utils.generateKeyPairSync('ed25519');
    if (!(utils.parseKey(pair.private) instanceof Error)) return pair;
  }
}

/** An ssh server of this process on loopback, behind a proxy that can fall silent. It accepts every login and runs programs on this machine. */
export async function startSshServer(): Promise<SshServer> {
  const key = newHostKey();
  const server = new Server({ hostKeys: [key.private] }, serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const wires: Socket[] = [];
  let silent = false;
  let [isGreeted, isLeft] = [(): void => undefined, (): void => undefined];
  const greeted = new Promise<void>((resolve) => (isGreeted = resolve));
  const left = new Promise<void>((resolve) => (isLeft = resolve));
  const wire = createServer({ allowHalfOpen: true }, (near) => {
    wires.push(near.on('error', () => undefined));
    if (silent) {
      near.once('data', isGreeted).once('end', isLeft).once('close', isLeft);
      return;
    }
    const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
    wires.push(far.on('error', () => undefined));
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(wire, 'listening');
  const { port } = wire.address() as AddressInfo;
  return {
    port,
    known: `[127.0.0.1]:${port} ${key.public}\n`,
    fallSilent() {
      silent = true;
      for (const end of wires) end.unpipe().pause();
    },
    greeted: () => greeted,
    left: () => left,
    close() {
      for (const end of wires) end.destroy();
      wire.close();
      server.close();
    },
  };
}

function serve(peer: Connection): void {
  peer.on('error', () => undefined).on('authentication', (auth) => auth.accept());
  peer.on('session', (accept) =>
    accept().on('exec', (acceptExec, _reject, { command }) => {
      const channel = acceptExec();
      const program = spawn('/bin/sh', ['-c', command]);
      channel.on('error', () => undefined).pipe(program.stdin.on('error', () => undefined));
      program.stdout.pipe(channel, { end: false });
      program.stderr.pipe(channel.stderr, { end: false });
      program.once('close', (code) => {
        channel.exit(code ?? 1);
        channel.end();
      });
    }),
  );
}
