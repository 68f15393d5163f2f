import { showDuration } from '../lib/duration.js';
import type { Event, Recorded } from '../terms/event.js';
import type { WebhookEvent } from '../terms/inventory.js';
import { waiverWithReason } from './audit-lines.js';
import { withModelMark } from './model-mark.js';
import { outcomeOf } from './run-outcome.js';
import { printableLine } from './style.js';

/** What a webhook gets: `text` is a sentence, the others are what its body may name besides. */
export interface WebhookCall {
  readonly event: WebhookEvent;
  readonly text: string;
  readonly run: string;
  readonly playbook: string;
  readonly phase: string;
  readonly by: string;
  readonly ticket: string;
}

type Started = Extract<Event, { e: 'run-started' }>;

/** Turns the events of a run into calls: its start, each phase, a question, its failure or its end. */
export class WebhookCalls {
  #started: Started | undefined;
  #phase = '';

  take({ event }: Recorded): readonly WebhookCall[] {
    switch (event.e) {
      case 'run-started':
        this.#started = event;
        return [
          this.#call(
            'start',
            `${event.verb === 'resume' ? 'resumed' : 'started'}${[by(event), ...waiverWithReason(event)].join(', ')}`,
          ),
        ];
      case 'play-started':
        return this.#enter(event.within[0] ?? event.name);
      case 'intent':
        return event.change.actions.some((action) => action.do === 'ask') ? [this.waiting(event.change.summary)] : [];
      case 'run-ended': {
        const is = outcomeOf(event);
        const isGood = event.as === 'done' || event.as === 'closed';
        const how = `${is === 'partial' ? 'completed with failures' : is}${event.reason === undefined ? '' : `: ${event.reason}`}, after ${showDuration(event.tookMs)}`;
        const isFailure = !isGood && event.as !== 'interrupted';
        return [...this.#leave(isFailure ? 'failed' : 'ended'), this.#call(isFailure ? 'failure' : 'end', how)];
      }
      case 'answered':
      case 'block':
      case 'checked':
      case 'close-started':
      case 'effect':
      case 'found':
      case 'from':
      case 'host-chosen':
      case 'host-left':
      case 'host-lost':
      case 'item':
      case 'items':
      case 'journal-older':
      case 'loop-started':
      case 'observed':
      case 'paused':
      case 'play-ended':
      case 'play-skipped':
      case 'settled':
      case 'taken-over':
      case 'task-skipped':
      case 'temporary-made':
      case 'temporary-restored':
      case 'temporary-restoring':
      case 'temporary-reverted':
      case 'undecided':
      case 'waiting':
      case 'warned':
        return [];
    }
  }

  /** An operator is to answer: a question of a step, or a pause. */
  waiting(question: string): WebhookCall {
    return this.#call('waiting', `waits for an answer: ${question}`);
  }

  #enter(phase: string): readonly WebhookCall[] {
    if (phase === this.#phase) return [];
    const left = this.#leave('ended');
    this.#phase = phase;
    return [...left, this.#call('phase-start', `phase ${phase} begins`)];
  }

  #leave(how: 'ended' | 'failed'): readonly WebhookCall[] {
    if (this.#phase === '') return [];
    const left = this.#call('phase-end', `phase ${this.#phase} ${how}`);
    this.#phase = '';
    return [left];
  }

  #call(event: WebhookEvent, what: string): WebhookCall {
    const { playbook = '', run = '', by: who = '', ticket = '' } = this.#started ?? {};
    const text = printableLine(
      `runbook: ${withModelMark(playbook, this.#started)}: ${what}${ticket === '' ? '' : ` (${ticket})`}`,
    );
    return { event, text, run, playbook, phase: this.#phase, by: who, ticket };
  }
}

const by = ({ by: who }: Started): string => (who === undefined ? '' : ` by ${who}`);
