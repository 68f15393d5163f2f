import type { Block, Page, Text } from './blocks.js';
import type { Document, DocumentState, Section } from './document.js';
import { withModelMark } from '../model-mark.js';
import { HostSets } from './host-sets.js';
import { backOutBlocks, impactBlocks, outageBlocks, timelineBlocks, versionBlocks } from './words-impact.js';
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
      return [isPlan ? 'Why the plan is refused' : 'What failed', failureBlocks(section, words)];
    case 'state':
      return ['The platform now', stateBlocks(section, words)];
    case 'impact':
      return ['Impact', impactBlocks(section, words)];
    case 'timeline':
      return ['Timeline', timelineBlocks(section)];
    case 'outages':
      return ['Down from when to when', outageBlocks(section, words)];
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

const STATES: Readonly<Record<DocumentState, readonly [text: string, tone: Tone]>> = {
  ready: ['READY', 'good'],
  nothing: ['NOTHING TO DO', 'good'],
  'left-out': ['HOSTS LEFT OUT, NOTHING TO DO ON THE OTHERS', 'warn'],
  refused: ['REFUSED', 'bad'],
  incomplete: ['NOT COMPLETE', 'bad'],
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

function stateOf({ state }: Document): Page['state'] {
  const [text, tone] = STATES[state];
  return { state: text, tone };
}

function leadOf({ of, sections }: Document): Text {
  const summary = sections.find((section) => section.is === 'summary');
  const origin = sections.find((section) => section.is === 'origin');
  if (summary === undefined) return [];
  const { from, target, hosts } = summary;
  const way = target === undefined || from.length === 0 ? [] : [`${from.join(', ')} → ${target}`];
  const run = origin?.run === undefined ? [] : [`run ${origin.run}`];
  return [
    [
      ...(of === 'plan' ? ['DRY RUN, nothing was changed'] : run),
      ...way,
      `${hosts} ${hosts === 1 ? 'host' : 'hosts'}`,
    ].join(' · '),
  ];
}
