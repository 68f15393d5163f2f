import { count } from '../../lib/count.js';
import { doneBeforeLines } from '../plan/done-before.js';
import { causeText, comparedText } from '../plan/plan-outcome-view.js';
import { diffLines } from '../plan/play-view.js';
import { section as sectionText, styleFor } from '../style.js';
import { isObject, type Json } from '../../terms/json.js';
import type { Block, ChangeRow, Text, Tone } from './blocks.js';
import type { Differences, Outcome, PlayOutcomes, Section, TemporaryChange } from './document.js';
import type { Words } from './words-context.js';

/** A longer diff is cut: its file is on the host. */
const DIFF_LINES = 400;
const SHOWN_CHARACTERS = 120;

const WORDS: Readonly<Record<Outcome['is'], readonly [sign: string, tone: Tone, lead: string]>> = {
  change: ['~', 'info', ''],
  begun: ['…', 'warn', 'not finished: '],
  ok: ['=', 'quiet', ''],
  undecided: ['?', 'info', 'known after apply: '],
  unread: ['✗', 'bad', 'cannot be read: '],
  waiting: ['…', 'quiet', 'waits; now: '],
  skipped: ['-', 'quiet', 'skipped: '],
  failed: ['✗', 'bad', 'failed: '],
  blocked: ['✗', 'bad', 'refused: '],
  unreachable: ['✗', 'bad', 'unreachable: '],
};

/** Every change by play, with its diff. */
export function changeBlocks(plays: readonly PlayOutcomes[], words: Words): readonly Block[] {
  const blocks = plays.flatMap((play, i) => playBlocks(play, i, words));
  return blocks.length === 0 ? [] : [...legend(words), ...blocks];
}

const legend = ({ document: { of } }: Words): readonly Block[] => [
  {
    is: 'paragraph',
    text: [
      'Each outcome is listed once for all hosts that share it. ',
      of === 'plan'
        ? '+ created, ~ changed, - removed, ↻ runs each time, ? known after apply, … waits for a state, ! warning.'
        : '+ created, ~ changed, - removed, ↻ ran, ✗ failed or refused, ! warning.',
    ],
  },
];

function playBlocks(play: PlayOutcomes, i: number, words: Words): readonly Block[] {
  const title = [play.name.join(' / '), sectionText(play.spec)].filter((text) => text !== '').join(' · ');
  const order = play.serial && play.hosts.length > 1;
  return [
    { is: 'heading', level: 3, id: `play-${i + 1}`, text: title },
    ...(play.pointOfNoReturn === undefined
      ? []
      : [
          {
            is: 'paragraph',
            text: [{ state: 'POINT OF NO RETURN', tone: 'bad' }, ` ${play.pointOfNoReturn}`],
          } as const,
        ]),
    ...(order ? [{ is: 'paragraph', text: ['One host at a time: ', ...words.hosts.text(play.hosts)] } as const] : []),
    { is: 'changes', label: play.name.join(' / '), rows: play.outcomes.map((outcome) => rowOf(outcome, words)) },
  ];
}

function rowOf(
  { is, sign, text, name, spec, hosts, hint, warnings = [], diff, diffLater }: Outcome,
  words: Words,
): ChangeRow {
  const [otherSign, tone, lead] = WORDS[is];
  const notes: readonly Text[] = [
    ...(hint === undefined ? [] : [[`→ ${hint}`]]),
    ...warnings.map((warning): Text => [{ state: '!', tone: 'warn' }, ` ${warning.replaceAll('\n+ ', ' + ')}`]),
    ...(diffLater === undefined || words.document.of === 'run' ? [] : [[`diff known after apply: ${diffLater}`]]),
  ];
  return {
    sign: sign ?? otherSign,
    tone,
    what: [`${lead}${text}`],
    notes,
    step: name,
    section: sectionText(spec),
    hosts: words.hosts.text(hosts),
    ...(diff === undefined ? {} : { diff: cutDiff(diff) }),
  };
}

function cutDiff(diff: string): readonly string[] {
  const lines = diffLines(diff, { diff: true }, styleFor({ color: false }));
  return lines.length <= DIFF_LINES
    ? lines
    : [...lines.slice(0, DIFF_LINES), `… ${lines.length - DIFF_LINES} more lines`];
}

/** What was checked and is as it should be, folded. */
export const checkBlocks = (plays: readonly PlayOutcomes[], { hosts }: Words): readonly Block[] =>
  plays.map(({ name, spec, outcomes }) => ({
    is: 'folded',
    title: `${[name.join(' / '), sectionText(spec)].filter((text) => text !== '').join(' · ')} (${outcomes.length})`,
    blocks: [
      {
        is: 'table',
        label: name.join(' / '),
        head: ['Step', 'Found', 'Hosts', 'Section'],
        rows: outcomes.map((o): readonly Text[] => [[o.name], [o.text], hosts.text(o.hosts), [sectionText(o.spec)]]),
      },
    ],
  }));

const paragraph = (text: string): Block => ({ is: 'paragraph', text: [text] });

/** What a run did otherwise than planned, and what read otherwise afterwards than predicted. */
export function differenceBlocks(differences: Differences, { hosts, document }: Words): readonly Block[] {
  const { plannedSteps: planned, total, notStarted, before, steps, facts } = differences;
  const sum =
    planned === undefined
      ? 'The plan of this run was not kept: estimates and planned steps cannot be compared.'
      : `${comparedText({ ...differences, steps: planned, total })}.`;
  const left = document.state === 'running' ? 'Not started yet' : 'Not started, because the run stopped before';
  const stepTable: readonly Block[] =
    steps.length === 0
      ? []
      : [
          {
            is: 'table',
            label: 'Steps that differ from the plan',
            head: ['Step', 'Hosts', 'Difference', 'Planned', 'Done'],
            rows: steps.map((s): readonly Text[] => [
              [s.name],
              hosts.text(s.hosts),
              [causeText(s, s.isAllowed === true)],
              [s.planned ?? ''],
              [s.done ?? ''],
            ]),
          },
        ];
  const factTable: readonly Block[] =
    facts.length === 0
      ? []
      : [
          {
            is: 'table',
            label: 'Facts that differ from their prediction',
            head: ['Step', 'Host', 'Fact', 'Predicted', 'Found'],
            rows: facts.map((f): readonly Text[] => [
              [f.name],
              [f.host],
              [[f.fact, f.key].filter((t) => t !== '').join(' ')],
              ...pair(f.predicted, f.observed),
            ]),
          },
        ];
  return [
    paragraph(sum),
    ...stepTable,
    ...(notStarted === 0 ? [] : [paragraph(`${left}: ${count(notStarted, 'step')}.`)]),
    ...(before === undefined ? [] : doneBeforeLines(before).map((line) => paragraph(`${line}.`))),
    ...factTable,
  ];
}

/** Of two objects only what differs in them. */
function pair(predicted: Json, observed: Json): readonly [Text, Text] {
  if (!isObject(predicted) || !isObject(observed)) return [[show(predicted)], [show(observed)]];
  const keys = [...new Set([...Object.keys(predicted), ...Object.keys(observed)])].filter(
    (key) => JSON.stringify(predicted[key]) !== JSON.stringify(observed[key]),
  );
  const of = (value: typeof predicted): Text => [keys.map((key) => `${key} ${show(value[key])}`).join(', ')];
  return [of(predicted), of(observed)];
}

const show = (value: Json | undefined): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
};

const BY = { step: 'restored by a step', end: 'restored at the end', close: 'restored by close' } as const;

/** Temporary changes, and what becomes or became of them. */
export function temporaryBlocks(
  { changes }: Extract<Section, { is: 'temporary' }>,
  { hosts }: Words,
): readonly Block[] {
  if (changes.length === 0) return [];
  return [
    {
      is: 'table',
      label: 'Temporary changes',
      head: ['Change', 'Hosts', 'State', 'After a failure'],
      rows: changes.map((change): readonly Text[] => [
        [change.name],
        hosts.text(change.hosts),
        stateOf(change),
        [keptText(change)],
      ]),
    },
  ];
}

function stateOf({ is, restoredBy: by }: TemporaryChange): Text {
  if (is === 'planned') return ['restored at the end'];
  return is === 'restored' ? [by === undefined ? 'restored' : BY[by]] : [{ state: 'NOT RESTORED', tone: 'bad' }];
}

const keptText = ({ keptAfter }: TemporaryChange): string =>
  keptAfter.length === 0 ? 'restored' : `stays once begun: ${keptAfter.join(', ')}`;
