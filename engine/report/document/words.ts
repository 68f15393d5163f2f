import type { Block, Page, Text } from './blocks.js';
import type { Document, DocumentState, Section } from './document.js';
import { withModelMark } from '../model-mark.js';
import { HostSets } from './host-sets.js';
import { backOutBlocks, impactBlocks, outageBlocks, timelineBlocks, versionBlocks } from './words-impact.js';
import { phaseBlocks } from './words-phases.js';
import { planStateText } from '../plan/plan-state-text.js';
import { isWhole, type PlanState } from '../plan/plan-state.js';
import type { RunOutcome } from '../run-outcome.js';
import { changeBlocks, checkBlocks, differenceBlocks, temporaryBlocks } from './words-changes.js';
import {
  approvalBlocks,
  decisionBlocks,
  failureBlocks,
  originBlocks,
  summaryBlocks,
  warningBlocks,
} from './words-facts.js';
import type { Tone } from './blocks.js';
import { stateBlocks } from './words-state.js';
import { baselineBlocks } from './words-baseline.js';
import { nextBlocks } from './words-next.js';
import { closingBlocks } from './words-closing.js';
import type { Words } from './words-context.js';

/** A document in words: the only place where its codes become sentences. */
export function pageOf(document: Document): Page {
  const words: Words = { document, hosts: new HostSets() };
  const blocks = document.sections.flatMap((section) => sectionBlocks(section, words));
  const sets = words.hosts.blocks();
  return {
    title: titleOf(document),
    kind: document.of === 'plan' ? 'Plan' : 'Report',
    state: stateOf(document),
    lead: leadOf(document),
    blocks: [...blocks, ...(sets.length === 0 ? [] : [heading('hosts', 'Hosts'), ...sets])],
  };
}

function titleOf({ title, sections }: Document): string {
  return withModelMark(
    title,
    sections.find((section) => section.is === 'summary'),
  );
}

const heading = (id: string, text: string): Block => ({ is: 'heading', level: 2, id, text });

/** A section with nothing to say is left out, heading and all. */
function sectionBlocks(section: Section, words: Words): readonly Block[] {
  const [title, blocks] = wordsOf(section, words);
  return blocks.length === 0 ? [] : [heading(section.is, title), ...blocks];
}

function wordsOf(section: Section, words: Words): readonly [title: string, blocks: readonly Block[]] {
  const isPlan = words.document.of === 'plan';
  switch (section.is) {
    case 'summary':
      return ['Summary', summaryBlocks(section, words)];
    case 'failures':
      return [isPlan ? whyTitle(words.document) : 'What failed', failureBlocks(section, words)];
    case 'state':
      return [isPlan ? 'The platform now' : 'The platform when the run had stopped', stateBlocks(section, words)];
    case 'impact':
      return ['Impact', impactBlocks(section, words)];
    case 'timeline':
      return ['Timeline', timelineBlocks(section)];
    case 'outages':
      return ['Down from when to when', outageBlocks(section, words)];
    case 'next':
      return ['What to do next', nextBlocks(section)];
    case 'phases':
      return ['Phases', phaseBlocks(section)];
    case 'back-out':
      return ['Risk and back-out', backOutBlocks(section)];
    case 'versions':
      return ['Versions', versionBlocks(section, words)];
    case 'decisions':
      return [isPlan ? 'Decisions to make' : 'Decisions', decisionBlocks(section, words)];
    case 'warnings':
      return ['Warnings', warningBlocks(section, words)];
    case 'approvals':
      return ['Approval', approvalBlocks(section)];
    case 'differences':
      return ['Differences from the plan', differenceBlocks(section, words)];
    case 'baseline':
      return ['Before and after', baselineBlocks(section)];
    case 'closing':
      return ['What the close leaves', closingBlocks(section, words)];
    case 'temporary':
      return ['Temporary changes', temporaryBlocks(section, words)];
    case 'changes':
      return ['Changes', changeBlocks(section.plays, words)];
    case 'checks':
      return ['Unchanged', checkBlocks(section.plays, words)];
    case 'origin':
      return ['Origin', originBlocks(section)];
  }
}

type RunState = RunOutcome | Exclude<DocumentState, PlanState['is'] | RunOutcome>;

const STATES: Readonly<Record<RunState, readonly [text: string, tone: Tone]>> = {
  refused: ['REFUSED', 'bad'],
  done: ['DONE', 'good'],
  failed: ['FAILED', 'bad'],
  partial: ['COMPLETED WITH FAILURES', 'bad'],
  unreachable: ['STOPPED, HOST UNREACHABLE', 'bad'],
  interrupted: ['INTERRUPTED', 'warn'],
  closed: ['CLOSED', 'warn'],
  running: ['RUNNING', 'info'],
  cut: ['INTERRUPTED', 'bad'],
  'not-started': ['NOT STARTED', 'quiet'],
};

function stateOf({ of, plan, state: code }: Document): Page['state'] {
  const [text, tone] =
    of === 'run' ? STATES[code as RunState] : planStateText(plan ?? { ...NO_NUMBERS, is: code as PlanState['is'] });
  return { state: text, tone };
}

/** What a plan says of checks that failed and hosts that did not answer; it may be ready without these. */
function whyTitle({ plan }: Document): string {
  if (plan?.is === 'will-stop') return 'Why it will stop';
  return plan !== undefined && (isWhole(plan) || plan.is === 'left-out')
    ? plan.unread > 0
      ? 'What could not be read, or did not answer'
      : 'Hosts that did not answer'
    : 'Why the plan is refused';
}

/** Of a plan file that an earlier version wrote. */
const NO_NUMBERS = { decisions: 0, warnings: 0, failed: 0, leftOut: 0, unreachable: 0, unread: 0 } as const;

function leadOf({ of, sections }: Document): Text {
  const summary = sections.find((section) => section.is === 'summary');
  const origin = sections.find((section) => section.is === 'origin');
  if (summary === undefined) return [];
  const { from, target, hosts, restOf } = summary;
  const rest = restOf === undefined ? '' : ` of the rest of the run ${restOf}`;
  const way = target === undefined || from.length === 0 ? [] : [`${from.join(', ')} → ${target}`];
  const run = origin?.run === undefined ? [] : [`run ${origin.run}`];
  return [
    [
      ...(of === 'plan' ? [`DRY RUN${rest}, nothing was changed`] : run),
      ...way,
      `${hosts} ${hosts === 1 ? 'host' : 'hosts'}`,
    ].join(' · '),
  ];
}
