import { hostFacts } from '../../facts/host-facts.js';
import type { HostFact } from '../../facts/kind.js';
import type { Action, Outcome } from '../../terms/action.js';
import { refKey, type Answer, type Need } from '../../terms/fact.js';
import type { EffectContext, EffectId, JobState, Swapped } from '../../terms/machine.js';
import type { Subject } from '../../terms/subject.js';
import { failed, type Machine, type Reached } from '../machine.js';
import { performOnSh } from './actions.js';
import { readSwapped, swapText } from './swap.js';
import { forgetText, lookText, readJob } from './job.js';
import type { Fragment } from './frame.js';
import type { ShHost, ShPlace } from './place.js';
import { ShSession } from './session.js';
import type { Transport } from '../transport.js';

/** How long the probes of one batch may take together, besides what each was given; a hash of a package's size takes seconds. */
const batchLimitMs = 120_000;

/**
 * A POSIX host through one connection, and one persistent shell for each user that is worked as. A question is asked again once after
 * a loss, an action never: what it came to is unknown then.
 */
export class ShMachine implements Machine, ShPlace {
  #transport: Promise<Reached<Transport>> | undefined;
  readonly #sessions = new Map<string, Promise<Reached<ShSession>>>();

  /** `ownFacts`: what the platform's modules ask beside the general facts. */
  constructor(
    readonly host: ShHost,
    readonly ownFacts: readonly HostFact[] = [],
  ) {}

  async ask(needs: readonly Need[]): Promise<ReadonlyMap<string, Answer>> {
    const known = needs.flatMap((need) => {
      const fact = hostFacts.get(need.fact) ?? this.ownFacts.find(({ name }) => name === need.fact);
      return fact === undefined ? [] : [{ need, fact, sh: fact.sh(need.key) }];
    });
    const answers = new Map<string, Answer>(
      needs.map((n) => [refKey(n), failed('unreadable', `a host does not know the fact ${n.fact}`)]),
    );
    const limitMs = batchLimitMs + known.reduce((sum, { need }) => sum + ownLimitMs(need), 0);
    const outputs = await this.read(known, limitMs);
    known.forEach(({ need, fact }, i) => {
      const output = outputs.is === 'reached' ? outputs.value[i] : undefined;
      answers.set(refKey(need), output ? fact.parse(output, need.key) : (outputs as Answer));
    });
    return answers;
  }

  /** Fragments that only read: asked again after a loss of the connection. */
  async read(fragments: readonly Fragment[], limitMs: number) {
    for (let attempt = 1; ; attempt += 1) {
      const session = await this.session();
      if (session.is === 'failed') return session;
      const frames = await session.value.ask(fragments, limitMs);
      if (frames.is === 'frames') return { is: 'reached', value: frames.outputs } as const;
      if (frames.is === 'timeout')
        return failed('unreadable', `no answer within ${limitMs / 1000} s`, 'does a file system hang?');
      if (attempt === 2) return failed('unreachable', frames.reason);
    }
  }

  async perform(_on: Subject, action: Action, context: EffectContext): Promise<Outcome> {
    if (context.signal?.aborted === true) return interrupted;
    let stop = (): void => undefined;
    const stopped = new Promise<Outcome>((resolve) => (stop = () => resolve(interrupted)));
    context.signal?.addEventListener('abort', stop, { once: true });
    try {
      return await Promise.race([this.#perform(action, context), stopped]);
    } finally {
      context.signal?.removeEventListener('abort', stop);
    }
  }

  async #perform(action: Action, context: EffectContext): Promise<Outcome> {
    if (context.mayAct !== undefined) {
      await this.session();
      await context.mayAct();
    }
    return performOnSh(this, action, context);
  }

  async job(_on: Subject, id: EffectId): Promise<JobState> {
    const looked = await this.read([{ sh: lookText(id, 1) }], batchLimitMs);
    // Who may not work there hears of it from the first fact that is asked for.
    if (looked.is === 'failed')
      return looked.why === 'denied' ? { is: 'absent' } : { is: 'unreachable', reason: looked.reason };
    return readJob(looked.value[0]?.stdout ?? '') ?? { is: 'absent' };
  }

  /** Where the host does not answer, a small folder stays. */
  async forgetJob(_on: Subject, id: EffectId): Promise<void> {
    await this.read([{ sh: forgetText(id) }], batchLimitMs);
  }

  async swap(_host: string, file: string, expected: string, wanted: string): Promise<Swapped> {
    // Asked again after a loss: what was swapped then is found as what was wanted.
    return readSwapped(await this.read([{ sh: swapText(file, expected, wanted), withErrors: true }], batchLimitMs));
  }

  /** The connection, made when first needed and made again when it was lost. */
  async transport(): Promise<Reached<Transport>> {
    const current = await this.#transport;
    if (current?.is === 'reached' && !current.value.isLost) return current;
    // Whoever came first connects; the others wait for the same.
    this.#transport = this.#connecting ??= this.host.connect().finally(() => (this.#connecting = undefined));
    return this.#transport;
  }
  #connecting: Promise<Reached<Transport>> | undefined;

  /** The persistent shell of a user; absent: the inventory's default. */
  async session(user?: string): Promise<Reached<ShSession>> {
    const key = user ?? '';
    const current = await this.#sessions.get(key);
    if (current?.is === 'reached' && !current.value.isLost) return current;
    const waiting = this.#opening.get(key);
    if (waiting !== undefined) return waiting;
    const opening = this.#open(user).finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    this.#sessions.set(key, opening);
    return opening;
  }
  readonly #opening = new Map<string, Promise<Reached<ShSession>>>();

  async #open(user: string | undefined): Promise<Reached<ShSession>> {
    const [transport, become] = [await this.transport(), await this.host.become(user)];
    if (transport.is === 'failed') return transport;
    if (become.is === 'failed') return become;
    const as = become.value === undefined ? {} : { become: become.value };
    return ShSession.open({ transport: transport.value, clock: this.host.clock, ...as });
  }

  async close(): Promise<void> {
    for (const session of this.#sessions.values()) {
      const opened = await session;
      if (opened.is === 'reached') opened.value.close();
    }
    const transport = await this.#transport;
    if (transport?.is === 'reached') await transport.value.close();
  }
}

const interrupted: Outcome = { is: 'unknown', why: 'crash', detail: 'interrupted by an operator' };

function ownLimitMs(need: Need): number {
  if (need.fact !== 'probe') return 0;
  return (JSON.parse(need.key) as { timeoutMs?: number }).timeoutMs ?? 60_000;
}
