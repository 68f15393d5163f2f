import type { AnyAuthMethod, AuthHandlerMiddleware, AuthenticationType, ParsedKey } from 'ssh2';
import { getOrCreate } from '../../lib/get-or-create.js';
import type { SshTarget } from './ssh-config.js';
import { MOST_OF, readFileWithin, whyNotRead } from '../../lib/bounded-file.js';

/** Asks the operator for something that must not be shown. Rejects when there is no terminal. */
export type Ask = (question: string) => Promise<string>;

export interface SshSecrets {
  readonly password?: string;
  readonly passphrase?: string;
}

/** A key that can be used, or why it cannot. */
export type OpenedKey =
  { readonly is: 'key'; readonly key: ParsedKey } | { readonly is: 'closed'; readonly reason: string };

const closed = (reason: string): OpenedKey => ({ is: 'closed', reason });

/** Private keys of the controller's, each read once and its passphrase asked for once, whoever needs it. */
export class KeyRing {
  readonly #keys = new Map<string, Promise<OpenedKey>>();

  constructor(private readonly ask: Ask) {}

  key(file: string, passphrase: string | undefined): Promise<OpenedKey> {
    return getOrCreate(this.#keys, file, () => this.#open(file, passphrase));
  }

  async #open(file: string, passphrase: string | undefined): Promise<OpenedKey> {
    const { utils } = (await import('ssh2')).default;
    let bytes: Buffer;
    try {
      bytes = readFileWithin(file, MOST_OF.secret);
    } catch (error) {
      return closed(`key ${file} ${whyNotRead(error)}`);
    }
    const found = utils.parseKey(bytes, passphrase);
    const wantsPassphrase = found instanceof Error && passphrase === undefined && /no passphrase/i.test(found.message);
    if (!wantsPassphrase) return opened(file, found);
    const typed = await this.ask(`Passphrase of ${file}: `).catch(() => undefined);
    if (typed === undefined) return closed(`key ${file} has a passphrase, and there is no terminal to ask for it at`);
    return opened(file, utils.parseKey(bytes, typed));
  }
}

function opened(file: string, parsed: ParsedKey | Error | readonly ParsedKey[]): OpenedKey {
  if (parsed instanceof Error) {
    const isWrong = /passphrase|integrity|decrypt|MAC|malformed/i.test(parsed.message);
    return closed(
      isWrong
        ? `the passphrase of key ${file} is wrong, or the file is damaged`
        : `key ${file} cannot be used: ${parsed.message}`,
    );
  }
  const key = Array.isArray(parsed) ? (parsed as readonly ParsedKey[])[0] : (parsed as ParsedKey);
  return key?.isPrivateKey() === true ? { is: 'key', key } : closed(`key ${file} holds no private key`);
}

/** What was tried to log in, for the message when nothing was taken. */
export interface Attempts {
  readonly tried: string[];
  readonly problems: string[];
}

/** Offers what is configured and nothing else, in the order agent, keys, password; a key is opened when its turn comes. */
export function authHandler(
  target: SshTarget,
  secrets: SshSecrets,
  keys: KeyRing,
  attempts: Attempts,
): AuthHandlerMiddleware {
  const username = target.user;
  const { agent } = target;
  const { password } = secrets;
  type Offer = readonly [AuthenticationType, () => Promise<AnyAuthMethod | undefined>];
  const offers: Offer[] = [];
  if (agent !== undefined) offers.push(['publickey', () => offer('the agent', { type: 'agent', username, agent })]);
  for (const file of target.keyFiles)
    offers.push([
      'publickey',
      async () => {
        const key = await keys.key(file, secrets.passphrase);
        if (key.is === 'key') return offer(file, { type: 'publickey', username, key: key.key });
        attempts.problems.push(key.reason);
        return undefined;
      },
    ]);
  if (password !== undefined) {
    offers.push(['password', () => offer('the password', { type: 'password', username, password })]);
    // Servers that have PAM ask instead of being told.
    const prompt = (
      _n: string,
      _i: string,
      _l: string,
      prompts: readonly unknown[],
      finish: (answers: string[]) => void,
    ): void => finish(prompts.map(() => password));
    offers.push([
      'keyboard-interactive',
      () => offer('the password', { type: 'keyboard-interactive', username, prompt }),
    ]);
  }
  const offer = (name: string, method: AnyAuthMethod): Promise<AnyAuthMethod> => {
    if (!attempts.tried.includes(name)) attempts.tried.push(name);
    return Promise.resolve(method);
  };

  return (left: AuthenticationType[] | null, _partial, next) => {
    const tryNext = async (): Promise<void> => {
      for (let found = offers.shift(); found !== undefined; found = offers.shift()) {
        const [type, make] = found;
        if (left !== null && !left.includes(type)) continue;
        const method = await make();
        if (method !== undefined) {
          next(method);
          return;
        }
      }
      // ssh2 takes `false` for "no more", whatever its types say.
      next(false as unknown as AnyAuthMethod);
    };
    void tryNext();
  };
}
