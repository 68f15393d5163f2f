import { hostFacts } from '../../facts/host-facts.js';
import type { HostFact, ProbeOutput } from '../../facts/kind.js';
import type { Action, Outcome } from '../../terms/action.js';
import { refKey, type Answer, type Need } from '../../terms/fact.js';
import type { EffectContext, EffectId, JobState, Swapped } from '../../terms/machine.js';
import type { Subject } from '../../terms/subject.js';
import { failed, reached, type Failed, type Machine, type Reached } from '../machine.js';
import { performOnSh } from './actions.js';
import { readSwapped, swapText } from './swap.js';
import { forgetText, readJob } from './job.js';
import { lookFragment } from './job-action.js';
import { floodText } from './limits.js';
import type { Fragment } from './frame.js';
import { limitsOf, type ShHost, type ShPlace } from './place.js';
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
    const outputs = await this.#readEach(known, limitMs);
    known.forEach(({ need, fact }, i) => {
      const output = outputs[i];
      if (output !== undefined)
        answers.set(refKey(need), output.is === 'reached' ? fact.parse(output.value, need.key) : output);
    });
    return answers;
  }

  /** A fragment that only reads: asked again after a loss of the connection. */
  async #read(fragment: Fragment): Promise<Reached<ProbeOutput>> {
    const [read] = await this.#readEach([fragment], batchLimitMs);
    return read ?? failed('unreadable', 'the shell gave no answer');
  }

  /** The same of several in one round trip. One that prints too much ends the shell, and is not asked again; those after it are. */
  async #readEach(fragments: readonly Fragment[], limitMs: number): Promise<readonly Reached<ProbeOutput>[]> {
    const answers: Reached<ProbeOutput>[] = [];
    for (let losses = 0; answers.length < fragments.length;) {
      const rest = fragments.slice(answers.length);
      const none = (why: Failed): readonly Reached<ProbeOutput>[] => [...answers, ...rest.map(() => why)];
      const session = await this.session();
      if (session.is === 'failed') return none(session);
      const frames = await session.value.ask(rest, limitMs);
      if (frames.is === 'timeout')
        return none(failed('unreadable', `no answer within ${limitMs / 1000} s`, 'does a file system hang?'));
      if (frames.is === 'lost') {
        losses += 1;
        if (losses === 2) return none(failed('unreachable', frames.reason));
        continue;
      }
      answers.push(...frames.outputs.map(reached));
      if (frames.is === 'flooded') answers.push(this.#tooLong(rest[frames.outputs.length]));
    }
    return answers;
  }

  #tooLong(fragment: Fragment | undefined): Failed {
    const most = fragment?.most ?? limitsOf(this.host).answer;
    return failed('unreadable', floodText(most), 'what is asked must print less');
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
    const looked = await this.#read(lookFragment(this, id, 1));
    // Who may not work there hears of it from the first fact that is asked for.
    if (looked.is === 'failed')
      return looked.why === 'no-access' ? { is: 'absent' } : { is: 'unreachable', reason: looked.reason };
    return readJob(looked.value.stdout) ?? { is: 'absent' };
  }

  /** Where the host does not answer, a small folder stays. */
  async forgetJob(_on: Subject, id: EffectId): Promise<void> {
    await this.#read({ sh: forgetText(id) });
  }

  async swap(_host: string, file: string, expected: string, wanted: string, withMarker?: boolean): Promise<Swapped> {
    // Asked again after a loss: what was swapped then is found as what was wanted.
    return readSwapped(await this.#read({ sh: swapText(file, expected, wanted, withMarker), withErrors: true }));
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
    return ShSession.open({
      transport: transport.value,
      clock: this.host.clock,
      limits: limitsOf(this.host),
      ...as,
    });
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
