import type { TimelineOf } from './document.js';

/** What a document is made of, in words: all that the renderers know. Every text in it is escaped by them. */
export type Block =
  | { readonly is: 'heading'; readonly level: 2 | 3; readonly id: string; readonly text: string }
  | { readonly is: 'paragraph'; readonly text: Text }
  /** Labels with their values. */
  | { readonly is: 'facts'; readonly rows: readonly (readonly [label: string, value: Text])[] }
  | { readonly is: 'list'; readonly items: readonly Text[] }
  | {
      readonly is: 'table';
      readonly label: string;
      /** Its cells are to be filled in by hand. */
      readonly isForm?: true;
      readonly head: readonly string[];
      readonly rows: readonly (readonly Text[])[];
    }
  | { readonly is: 'changes'; readonly label: string; readonly rows: readonly ChangeRow[] }
  | { readonly is: 'picture'; readonly label: string; readonly timeline: TimelineOf }
  /** Closed until the reader opens it; printed open. */
  | { readonly is: 'folded'; readonly title: string; readonly blocks: readonly Block[] };

export interface ChangeRow {
  readonly sign: string;
  readonly tone: Tone;
  readonly what: Text;
  readonly notes: readonly Text[];
  readonly step: string;
  readonly section: string;
  readonly hosts: Text;
  readonly diff?: readonly string[];
}

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'quiet';

/** A text, or a part of one that stands out: a state, something to type, a place in this document. */
export type Part =
  | string
  | { readonly strong: string }
  | { readonly code: string }
  /** Not broken between lines. */
  | { readonly name: string }
  | { readonly state: string; readonly tone: Tone }
  | { readonly link: string; readonly to: string };
export type Text = readonly Part[];

/** The page as a whole. */
export interface Page {
  readonly title: string;
  readonly kind: string;
  readonly state: { readonly state: string; readonly tone: Tone };
  /** One line below the title. */
  readonly lead: Text;
  readonly blocks: readonly Block[];
}
