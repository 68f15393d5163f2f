import { randomBytes } from 'node:crypto';
import type { ProbeOutput } from '../../facts/kind.js';
import type { Clock } from '../../terms/machine.js';
import { reached, type Reached } from '../machine.js';
import { frameText, readFrames, type Fragment } from './frame.js';
import { login, type Become, type Login } from './login.js';
import type { SendLimits } from './limits.js';
import { within } from '../time-limit.js';
import type { Transport } from '../transport.js';

export type Frames =
  | { readonly is: 'frames'; readonly outputs: readonly ProbeOutput[] }
  /** The shell or its connection went away: what was asked may have run or not. */
  | { readonly is: 'lost'; readonly reason: string }
  /** The fragment after these printed more than it may, and was ended with the shell. */
  | { readonly is: 'flooded'; readonly outputs: readonly ProbeOutput[] }
  | { readonly is: 'timeout' };

interface SessionRequest {
  readonly transport: Transport;
  readonly become?: Become;
  readonly clock: Clock;
  readonly limits: SendLimits;
}

/**
 * What every shell is made equal by, as hosts are as they are: a German locale, a umask of 077, a CDPATH, a PATH without sbin. The
 * temporary directory is for whoever needs one; an ordinary one may be full.
 */
export const shellPrelude = `export LC_ALL=C LANGUAGE=C; unset CDPATH ENV BASH_ENV GREP_OPTIONS POSIXLY_CORRECT; umask 022; cd /
PATH="\${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
scratch() { for b in /tmp /run /dev/shm /var/tmp; do d=$(mktemp -d "$b/runbook.XXXXXXXXXX") || continue; echo >"$d/x" && return; rm -rf "$d"; done; return 1; }
`;

/**
 * One `/bin/sh` that stays, on one host as one user. A request is one round trip, however many fragments it has; requests wait for each
 * other. The shell reads its commands ahead, so nothing else is ever sent on its standard input.
 */
export class ShSession {
  readonly #word = randomBytes(16).toString('hex');
  #number = 0;
  #isLost = false;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly shell: Login,
    private readonly request: SessionRequest,
  ) {
    void shell.channel.ended.then(() => (this.#isLost = true));
    void shell.out.flooded.then(() => this.#kill());
  }

  static async open(request: SessionRequest): Promise<Reached<ShSession>> {
    const shell = await login(request.transport, { ...request, script: 'exec /bin/sh' });
    if (shell.is === 'failed') return shell;
    shell.value.channel.stdin.write(shellPrelude);
    return reached(new ShSession(shell.value, request));
  }

  get isLost(): boolean {
    return this.#isLost || this.request.transport.isLost;
  }

  /** Runs the fragments in order, each with no standard input. After a time limit the shell is ended, and is lost. */
  async ask(fragments: readonly Fragment[], limitMs: number): Promise<Frames> {
    const turn = this.#queue.then(() => this.#askNow(fragments, limitMs));
    this.#queue = turn;
    return turn;
  }

  async #askNow(fragments: readonly Fragment[], limitMs: number): Promise<Frames> {
    if (this.isLost) return { is: 'lost', reason: await this.#lastWords() };
    const mark = { word: this.#word, number: (this.#number += 1) };
    this.shell.channel.stdin.write(frameText(mark, fragments));
    const outputs = await within(
      readFrames(this.shell.out, mark, fragments, this.request.limits),
      limitMs,
      this.request.clock,
    );
    if (outputs === 'timeout') {
      await this.#kill();
      return { is: 'timeout' };
    }
    if (outputs.length === fragments.length) return { is: 'frames', outputs };
    this.#isLost = true;
    if (this.shell.out.isFlooded) {
      await this.#kill();
      return { is: 'flooded', outputs };
    }
    return { is: 'lost', reason: await this.#lastWords() };
  }

  #kill(): Promise<void> {
    this.#isLost = true;
    return (this.#killing ??= this.#killNow());
  }
  #killing: Promise<void> | undefined;

  /** Ends the shell and what runs in it through a channel of its own, for the shell's own is stuck. */
  async #killNow(): Promise<void> {
    const { group } = this.shell;
    if (group !== '') {
      // Not `-9`: dash takes what follows it for numbers.
      const killer = await login(this.request.transport, { ...this.request, script: `kill -s KILL -- -${group}` });
      if (killer.is === 'reached') await within(killer.value.channel.ended, 5_000, this.request.clock);
    }
    this.shell.channel.close();
    const ended = await within(this.shell.channel.ended, 5_000, this.request.clock);
    // A host that goes on sending has its connection ended.
    if (ended === 'timeout' && this.shell.out.isFlooded) await this.request.transport.close();
  }

  async #lastWords(): Promise<string> {
    const said = await this.shell.lastWords();
    return said === '' ? 'the connection was lost' : `the shell ended: ${said}`;
  }

  close(): void {
    this.#isLost = true;
    this.shell.channel.stdin.end();
    this.shell.channel.close();
  }
}
