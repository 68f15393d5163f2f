import type { Change } from '../terms/change.js';
import type { Event, Recorded } from '../terms/event.js';
import type { Json } from '../terms/json.js';

/**
 * An event as a line of the NDJSON stream. Files on hosts hold secrets that are in no inventory, and this stream ends up in tickets:
 * what a change would write, what undoes it and what a file read are in the journal alone, which only its owner can read.
 */
export const ndjsonLine = (recorded: Recorded): string => JSON.stringify({ ...recorded, event: shown(recorded.event) });

type Shown = { readonly e: string } & Readonly<Record<string, unknown>>;

function shown(event: Event): Shown {
  switch (event.e) {
    case 'checked':
    case 'intent':
      return event.change === undefined ? event : { ...event, change: shownChange(event.change) };
    case 'owed':
      return {
        ...event,
        undo: kindOfUndo(event.undo),
        ...(event.made === undefined ? {} : { made: { module: event.made.module, on: event.made.on } }),
      };
    case 'observed':
      return {
        ...event,
        differs: event.differs.map(({ ref, predicted, observed }) => ({
          ref,
          predicted: withoutText(predicted),
          observed: withoutText(observed),
        })),
      };
    default:
      return { ...event };
  }
}

const shownChange = ({
  summary,
  sign,
  diff,
  diffUnknown,
  touches,
  undo,
  left,
  warnings,
}: Change): Readonly<Record<string, unknown>> => ({
  summary,
  sign,
  ...(diff === undefined ? {} : { diff }),
  ...(diffUnknown === undefined ? {} : { diffUnknown }),
  touches,
  undo: kindOfUndo(undo),
  ...(left === undefined ? {} : { left }),
  ...(warnings === undefined ? {} : { warnings }),
});

const kindOfUndo = (undo: Change['undo']): unknown =>
  'steps' in undo ? { steps: undo.steps.map(({ module, on }) => ({ module, on })) } : undo;

/** A fact that holds a file's text keeps its hash only. */
export const withoutText = (value: Json): Json => {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !('text' in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'text'));
};
