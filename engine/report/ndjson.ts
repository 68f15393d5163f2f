import type { Change, Wanted } from '../terms/change.js';
import type { Event, Recorded } from '../terms/event.js';
import type { Json } from '../terms/json.js';
import { jsonText } from './json-text.js';
import type { RunSummary } from './run-summary.js';

/** The lines of `--json`; schemas/events.schema.json is generated from this type. Within version 1 fields and events are only added. */
export type JsonLine =
  /** The first line of each part of a stream. */
  | { readonly format: 'runbook-events'; readonly version: 1; readonly verb: RunSummary['verb'] }
  /** An event with its number in the journal and its time, milliseconds since the epoch. */
  | (Omit<Recorded, 'event'> & { readonly event: ShownEvent })
  /** The last line. It is in no journal, so it has no number. */
  | { readonly atMs: number; readonly event: RunSummary };

type Of<E extends Event['e']> = Extract<Event, { readonly e: E }>;

/** An event without what a change would write. */
export type ShownEvent =
  | Exclude<Event, { readonly e: 'checked' | 'intent' | 'temporary-made' }>
  | (Omit<Of<'checked'>, 'change'> & { readonly change?: ShownChange })
  | (Omit<Of<'intent'>, 'change'> & { readonly change: ShownChange })
  | (Omit<Of<'temporary-made'>, 'restoredBy' | 'made'> & {
      readonly restoredBy: ShownState;
      readonly made?: ShownState;
    });

type ShownChange = Omit<Change, 'actions' | 'predicts' | 'starts' | 'marks' | 'notConverged'>;
type ShownState = Omit<Wanted, 'args'>;

/**
 * An event as a line of the NDJSON stream. Files on hosts hold secrets that are in no inventory, and this stream ends up in tickets:
 * what a change would write, what restores it and what a file read are in the journal alone, which only its owner can read.
 */
export const ndjsonLine = (recorded: Recorded): string =>
  jsonText({ ...recorded, event: shown(recorded.event) } satisfies JsonLine);

/** The end of a stream. */
export const summaryLine = (atMs: number, event: RunSummary): string => jsonText({ atMs, event } satisfies JsonLine);

function shown(event: Event): ShownEvent {
  switch (event.e) {
    case 'checked': {
      const { change, ...rest } = event;
      return change === undefined ? rest : { ...rest, change: shownChange(change) };
    }
    case 'intent':
      return { ...event, change: shownChange(event.change) };
    case 'temporary-made': {
      const { made, ...rest } = event;
      return {
        ...rest,
        restoredBy: shownState(event.restoredBy),
        ...(made === undefined ? {} : { made: shownState(made) }),
      };
    }
    case 'observed':
      return {
        ...event,
        differs: event.differs.map(({ ref, predicted, observed }) => ({
          ref,
          predicted: withoutText(predicted),
          observed: withoutText(observed),
        })),
      };
    case 'answered':
    case 'block':
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
    case 'paused':
    case 'play-ended':
    case 'play-skipped':
    case 'play-started':
    case 'run-ended':
    case 'run-started':
    case 'settled':
    case 'taken-over':
    case 'task-skipped':
    case 'temporary-restored':
    case 'temporary-restoring':
    case 'temporary-reverted':
    case 'undecided':
    case 'waiting':
    case 'warned':
      return event;
  }
}

/** Field by field: what is added to a change later is not published by that. */
const shownChange = ({ summary, sign, diff, diffUnknown, touches, left, warnings }: Change): ShownChange => ({
  summary,
  sign,
  ...(diff === undefined ? {} : { diff }),
  ...(diffUnknown === undefined ? {} : { diffUnknown }),
  touches,
  ...(left === undefined ? {} : { left }),
  ...(warnings === undefined ? {} : { warnings }),
});

const shownState = ({ module, on }: Wanted): ShownState => ({ module, on });

/** A fact that holds a file's text keeps its hash only. */
export const withoutText = (value: Json): Json => {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !('text' in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'text'));
};
