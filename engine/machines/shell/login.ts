import { randomBytes } from 'node:crypto';
import { quoteOne } from '../../lib/quote.js';
import type { Clock } from '../../terms/machine.js';
import { failed, reached, type Failed, type Reached } from '../machine.js';
import { MarkedReader } from './frame.js';
import { sizeText, type SendLimits } from './limits.js';
import { within } from '../time-limit.js';
import type { Channel, Transport } from '../transport.js';

/** Another user to work as, by sudo. */
export interface Become {
  readonly user: string;
  readonly password?: string;
}

export interface LoginRequest {
  readonly become?: Become;
  /** What `/bin/sh` does once it is there; it must hold no newline, `!` or single quote, for a csh may pass it on. */
  readonly script: string;
  readonly clock: Clock;
  readonly limits: SendLimits;
}

/** A `/bin/sh` that has said that it is there. Its standard input has not been written to. */
export interface Login {
  readonly channel: Channel;
  readonly out: MarkedReader;
  /** Its process group, for ending it through another channel; empty when the host does not tell. */
  readonly group: string;
  /** The last line on standard error of a shell that has ended; empty when it said nothing. */
  lastWords(): Promise<string>;
}

const loginLimitMs = 30_000;

/**
 * Starts `/bin/sh` as the wanted user, whatever the login shell is and its rc files print. Nothing is written before the shell has
 * said a random word: an rc file, or sudo without need of a password, would take what was meant for another.
 */
export async function login(transport: Transport, request: LoginRequest): Promise<Reached<Login>> {
  const word = randomBytes(12).toString('hex');
  const become = request.become?.user === transport.user ? undefined : request.become;
  // The fifth word of its line in /proc is the process group; the second, its name, is `(sh)`.
  const tell = `group=; read -r _ _ _ _ group _ </proc/$$/stat; printf "\\n%s %s\\n" ${word} "$group"`;
  // A shell that may start no program would say that it is there, and then fail at each question.
  const tryProgram = become === undefined ? '' : '/bin/sh -c : || exit; ';
  const shell = `/bin/sh -c ${quoteOne(`${tryProgram}${tell}; ${request.script}`)}`;
  const opening = transport.exec(
    `exec env LC_ALL=C LANGUAGE=C ${become === undefined ? '' : `${sudo(become, word)} `}${shell}`,
  );
  const opened = await within(opening, loginLimitMs, request.clock);
  if (opened === 'timeout') {
    void opening.then((late) => {
      if (late.is === 'reached') late.value.close();
    });
    return noShellInTime();
  }
  if (opened.is === 'failed') return opened;
  const channel = opened.value;
  const [out, errors] = [
    new MarkedReader(channel.stdout, request.limits.unasked),
    new Prompts(channel, `[${word}]`, become?.password),
  ];
  const up = out.until(`\n${word} `).then((found) => (found === undefined ? undefined : out.until('\n')));
  const group = await within(Promise.race([up, errors.isRefused]), loginLimitMs, request.clock);
  if (group === 'timeout') {
    channel.close();
    return noShellInTime();
  }
  if (group !== undefined)
    return reached({
      channel,
      out,
      group: group.toString('latin1'),
      lastWords: () => lastWords(errors, request.clock),
    });
  if (out.isFlooded) {
    channel.close();
    return failed(
      'unreachable',
      `output too long: the login of ${transport.user} sent more than ${sizeText(request.limits.unasked)} before a shell came up`,
      'does a start-up file of that user print without an end?',
    );
  }
  // Its last words may come after the end of its output.
  if (errors.asked < 2) await within(Promise.all([channel.ended, errors.hasEnded]), 2_000, request.clock);
  channel.close();
  const said = `${out.rest()}\n${errors.text}`.trim();
  return become === undefined ? noShell(transport.user, said) : noSudo(transport.user, become, said, errors.asked);
}

/** `-n` when there is no password to give, so that sudo says so instead of asking for one. */
const sudo = (become: Become, word: string): string =>
  `sudo ${become.password === undefined ? '-n' : `-S -p ${quoteOne(`[${word}]`)}`} -H -u ${quoteOne(become.user)} --`;

/** Answers sudo's first question for the password; a second one means that it was wrong. */
class Prompts {
  text = '';
  asked = 0;
  readonly isRefused: Promise<undefined>;
  readonly hasEnded: Promise<void>;

  constructor(channel: Channel, prompt: string, password: string | undefined) {
    channel.stdin.on('error', () => undefined);
    this.hasEnded = new Promise((resolve) => {
      channel.stderr
        .on('error', () => resolve())
        .on('end', () => resolve())
        .on('close', () => resolve());
    });
    this.isRefused = new Promise((resolve) => {
      channel.stderr.on('data', (chunk: Buffer) => {
        this.text = (this.text + chunk.toString('utf8')).slice(-4096);
        while (this.text.includes(prompt)) {
          this.text = this.text.replace(prompt, '');
          this.asked += 1;
          if (this.asked === 1 && password !== undefined) channel.stdin.write(`${password}\n`);
          else resolve(undefined);
        }
      });
    });
  }
}

/** What came last on standard error may come after the end of the output. */
async function lastWords(errors: Prompts, clock: Clock): Promise<string> {
  await within(errors.hasEnded, 1_000, clock);
  return lastLine(errors.text);
}

const noShellInTime = (): Failed =>
  failed(
    'unreachable',
    `no shell came up within ${loginLimitMs / 1000} s`,
    'does a start-up file of that user wait for something, or is the host overloaded?',
  );

const noShell = (user: string, said: string): Failed =>
  failed(
    'no-access',
    `${user} gets no shell${said === '' ? '' : `: ${lastLine(said)}`}`,
    'a login shell of nologin or a forced command leaves nothing to work with',
  );

function noSudo(user: string, become: Become, said: string, asked: number): Failed {
  if (asked > 1) return failed('no-access', `sudo does not take the password of ${user}`, 'check ssh.become_password');
  if (/a password is required/.test(said))
    return failed('no-access', `sudo wants a password of ${user}`, 'give ssh.become_password, or a NOPASSWD rule');
  if (/not in the sudoers|may not run|not allowed to execute/.test(said))
    return failed(
      'no-access',
      `${user} may not become ${become.user} by sudo`,
      'a rule in /etc/sudoers.d gives the right',
    );
  if (/must have a tty/.test(said))
    return failed('no-access', 'sudo wants a terminal (requiretty)', `Defaults:${user} !requiretty lifts it`);
  if (/^\/bin\/\w*sh: .*Permission denied/m.test(said))
    return failed(
      'no-access',
      `sudo lets ${user} start a shell, but no program from it (NOEXEC)`,
      `a rule with EXEC: in /etc/sudoers.d, or Defaults:${user} !noexec, lifts it`,
    );
  if (/unknown user/.test(said)) return failed('no-access', `there is no user ${become.user}`, 'check ssh.become_user');
  if (/sudo.*(not found|No such file)/s.test(said))
    return failed(
      'no-access',
      'there is no sudo on this host',
      'install sudo, or log in as the user to work as and set ssh.become: none',
    );
  return failed('no-access', `sudo to ${become.user} gave no shell${said === '' ? '' : `: ${lastLine(said)}`}`);
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim() ?? '';
