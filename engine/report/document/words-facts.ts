import { basename } from 'node:path';
import { estimateText } from '../plan/estimate-text.js';
import { dateText, outsideParts, rehearsalText } from '../plan/plan-heading.js';
import { refusalText } from '../plan/plan-state-text.js';
import { partsText, windowParts } from '../plan/window-lines.js';
import { waiverWithReason, whoText } from '../audit-lines.js';
import { lostTogether } from '../lost-hosts.js';
import { section as sectionText } from '../style.js';
import type { TextOnHosts } from '../text-on-hosts.js';
import { worseParts } from '../end/worse-lines.js';
import { tookText } from '../end/took.js';
import type { Block, Text } from './blocks.js';
import type { Cause, Document, Failures, Origin, Section, Summary } from './document.js';
import { stopBlocks } from './words-next.js';
import type { Words } from './words-context.js';

type Of<I extends Section['is']> = Extract<Section, { readonly is: I }>;
type Row = readonly [label: string, value: Text];

const row = (label: string, value: string | undefined): readonly Row[] =>
  value === undefined || value === '' ? [] : [[label, [value]]];

const BASIS = {
  all: 'measured by earlier runs of this inventory',
  some: 'partly measured by earlier runs of this inventory, partly from defaults',
  none: 'from defaults; no earlier run of this inventory has measured a step',
} as const;

export function summaryBlocks(s: Summary, { document }: Words): readonly Block[] {
  const { of, sections } = document;
  const origin = sections.find((one) => one.is === 'origin');
  const rows: readonly Row[] = [
    ...timeRows(s, document, origin?.sessions[0]?.by),
    ...row('Downtime', s.down === undefined ? undefined : partsText(s.down)),
    ...row('Window', s.window === undefined ? undefined : windowParts(s.window, s.window.notIncluded).join(' · ')),
    ...row('Rehearsal', s.rehearsal === undefined ? undefined : rehearsalText(s.rehearsal, origin?.inventory ?? '')),
    ...row('Outside --limit', outsideParts(s.outsideLimit).join(' · ')),
    ...row('Reason', s.reason),
    ...row('What to do', s.hint),
    ...row('Result', countsText(s, of)),
    ...worseRows(document),
    ...row('Temporary changes', temporaryText(s, of)),
    ...row('Data loss', s.dataLoss),
    ...row('Rolls back', s.rollsBack),
    ...row('Rolled back by', s.rolledBackBy?.join(', ')),
    ...row('Inventory', origin === undefined ? undefined : basename(origin.inventory) || origin.inventory),
  ];
  return [...damageBlocks(s), { is: 'facts', rows }];
}

/** What is worse than before the run, or was not read again: "done" alone would hide it. */
function worseRows({ sections }: Document): readonly Row[] {
  const { worse, unread } = worseParts(sections.find((one) => one.is === 'baseline')?.rows ?? []);
  return [
    ...(worse.length === 0 ? [] : [['Worse than before', [{ state: worse.join(' · '), tone: 'bad' }]] as const]),
    ...row('Not read again', unread.join(' · ')),
  ];
}

/** When it was planned; when it began and ended, and how long that took beside its estimate. */
function timeRows(
  { atMs, endMs, took, estimate }: Summary,
  { of, state }: Document,
  by: string | undefined,
): readonly Row[] {
  if (state === 'not-started') return [];
  const isOpen = state === 'running' || state === 'cut';
  const begun = [dateText(atMs), ...(by === undefined ? [] : [`by ${by}`])].join(' ');
  return [
    ...row(of === 'plan' ? 'Planned' : 'Started', begun),
    ...row(isOpen ? 'Last event' : 'Ended', endMs === undefined ? undefined : dateText(endMs)),
    ...row('Estimate', estimate === undefined ? undefined : `${estimateText(estimate)} (${BASIS[estimate.measured]})`),
    ...row('Took', took === undefined ? undefined : tookText(took)),
  ];
}

const damageBlocks = ({ damage }: Summary): readonly Block[] =>
  damage === undefined
    ? []
    : [
        {
          is: 'paragraph',
          text: [
            { state: 'INCOMPLETE REPORT', tone: 'bad' },
            ` The record of this run is damaged: ${damage}. This report ends before the damage; what the run did after it is not known.`,
          ],
        },
      ];

function countsText({ counts: n }: Summary, of: 'plan' | 'run'): string {
  const sums: readonly (readonly [number, string])[] = [
    [n.changed, of === 'plan' ? 'will change' : 'changed'],
    [n.undecided, 'known after apply'],
    [n.waiting, 'to wait for'],
    [n.asked, of === 'plan' ? 'to be asked' : 'asked'],
    [n.unchanged, 'unchanged'],
    [of === 'plan' ? 0 : n.skipped, 'skipped'],
    [n.failed, 'failed'],
    [n.notFinished, 'not finished'],
  ];
  return sums.flatMap(([sum, what], i) => (sum === 0 && i > 0 ? [] : [`${sum} ${what}`])).join(' · ');
}

function temporaryText({ temporary, notRestored }: Summary, of: 'plan' | 'run'): string | undefined {
  if (temporary === 0) return undefined;
  if (of === 'plan') return `${temporary}, counted in the result, each restored at the end`;
  return notRestored === 0 ? `${temporary}, all restored` : `${temporary}, ${notRestored ?? 0} not restored`;
}

/** What is to be typed is between backticks in a hint. */
const withCode = (hint: string): Text =>
  hint.split('`').flatMap((part, i): Text => (part === '' ? [] : i % 2 === 0 ? [{ strong: part }] : [{ code: part }]));

/** `host: text (§SECTION) → hint`. */
function textOfOne({ text, hint, spec, hosts }: TextOnHosts, { hosts: sets }: Words): Text {
  return [
    ...(hosts.length === 0 ? [] : [...sets.text(hosts), ': ']),
    text.replaceAll('\n+ ', ' + '),
    ...(spec === undefined ? [] : [` (${sectionText(spec)})`]),
    ...(hint === undefined ? [] : [' → ', ...withCode(hint)]),
  ];
}

export function failureBlocks(section: Failures, words: Words): readonly Block[] {
  const { failures, lost, notStarted, notFinished, causes = [] } = section;
  const { state, plan, sections } = words.document;
  const isRest = sections.some((one) => one.is === 'summary' && one.restOf !== undefined);
  const refused = plan === undefined ? undefined : refusalText(plan, isRest);
  const away = lostTogether(lost).map(({ text, leftOut, ...one }) =>
    textOfOne({ ...one, text: `${leftOut ? 'left out, unreachable' : 'unreachable'}: ${text}` }, words),
  );
  const items = [...failures.map((one) => textOfOne(one, words)), ...away];
  return [
    ...stopBlocks(section, words),
    ...(items.length === 0 ? [] : [{ is: 'list', items } as const]),
    ...(refused === undefined ? [] : [{ is: 'paragraph', text: [refused] } as const]),
    ...causeBlocks(causes, words),
    ...(notFinished.length === 0
      ? []
      : [
          {
            is: 'paragraph',
            text: [state === 'running' ? 'At work now:' : 'Begun, and not known whether they were finished:'],
          } as const,
          { is: 'list', items: notFinished.map((one) => textOfOne(one, words)) } as const,
        ]),
    ...(notStarted.length === 0
      ? []
      : [{ is: 'paragraph', text: [{ strong: 'Not started:' }, ` ${notStarted.join(' · ')}`] } as const]),
  ];
}

const causeBlocks = (causes: readonly Cause[], words: Words): readonly Block[] =>
  causes.length === 0
    ? []
    : [
        { is: 'paragraph', text: ['Found on the hosts that failed:'] },
        { is: 'list', items: causes.map((cause) => [...textOfOne(cause, words), ...cause.evidence.flatMap(evidence)]) },
      ];

const evidence = (text: string): Text => [' · ', { code: text.trim().replaceAll(/\s*\n\s*/g, ' / ') }];

export const warningBlocks = ({ warnings }: Of<'warnings'>, words: Words): readonly Block[] =>
  warnings.length === 0 ? [] : [{ is: 'list', items: warnings.map((one) => textOfOne(one, words)) }];

export function decisionBlocks({ decisions }: Of<'decisions'>, words: Words): readonly Block[] {
  if (decisions.length === 0) return [];
  const isPlan = words.document.of === 'plan';
  const isRest = words.document.sections.some((one) => one.is === 'summary' && one.restOf !== undefined);
  return [
    {
      is: 'table',
      label: 'Decisions',
      head: isPlan ? ['To decide', 'Hosts', 'Section', 'When', 'Decision'] : ['Question', 'Hosts', 'Section', 'Answer'],
      rows: decisions.map(({ text, hint, hosts, spec, when, phase, answer }) => [
        [text, ...(hint === undefined ? [] : [' → ', ...withCode(hint)])],
        words.hosts.text(hosts),
        [sectionText(spec)],
        ...(when === undefined
          ? []
          : [[when === 'before' ? `before ${isRest ? 'resume' : 'apply'}` : `the run asks in phase ${phase ?? ''}`]]),
        [answer ?? ''],
      ]),
    },
  ];
}

const ROLES = { requester: 'Requested by', operator: 'Applied by', approver: 'Approved by' } as const;

/** Empty rows, to be filled in by hand or in the ticket. */
export const approvalBlocks = ({ roles }: Of<'approvals'>): readonly Block[] => [
  {
    is: 'table',
    label: 'Approval',
    isForm: true,
    head: ['Role', 'Name', 'Date', 'Signature'],
    rows: roles.map((role) => [[ROLES[role]], [''], [''], ['']]),
  },
];

export function originBlocks({ run, approved, inventory, hash, sessions }: Origin): readonly Block[] {
  return [
    {
      is: 'facts',
      rows: [
        ...row('Run', run),
        ...row('Approved plan', approved),
        ...row('Approved by', sessions.flatMap(({ approvedBy = [] }) => approvedBy).join(', ')),
        ...row('Waived', sessions.flatMap(waiverWithReason).join('; ')),
        ...row('Inventory', inventory),
        [run === undefined ? 'Plan' : 'Digest of playbooks, inventory and variables', [{ code: hash }]],
      ],
    },
    {
      is: 'table',
      label: 'Who ran it from where',
      head: ['Command', 'When', 'By', 'From', 'Ticket', 'Reason given', 'runbook'],
      rows: sessions.map((part) => {
        const { verb, atMs, client = '', ticket = '', reason = '', version = '' } = part;
        return [[verb], [dateText(atMs)], [whoText(part)], [client], [ticket], [reason], [version]];
      }),
    },
  ];
}
