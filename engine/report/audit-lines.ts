import { count } from '../lib/count.js';
import { defined } from '../lib/defined.js';
import type { Audit, Recorded, Verb } from '../terms/event.js';
import { printableLine } from './style.js';

/** `resume`: so that the lines of most runs have the same columns. */
const LEAST_VERB = 6;

/** One part of a run: its start, each resume, its close. */
export interface Part extends Audit {
  readonly verb: Verb;
  readonly atMs: number;
}

export const partsOf = (events: readonly Recorded[]): readonly Part[] =>
  events.flatMap(({ event, atMs }) => {
    if (event.e !== 'run-started' && event.e !== 'close-started') return [];
    const { by, version, sudoUser, client, reason, ticket, approvedBy, waived } = event;
    const { awaitsApproval, approvalsNeeded, waiverApprovals } = event;
    return [
      {
        ...{ verb: event.e === 'close-started' ? ('close' as const) : event.verb, atMs },
        ...(by === undefined ? {} : { by }),
        ...(version === undefined ? {} : { version }),
        ...(sudoUser === undefined ? {} : { sudoUser }),
        ...(client === undefined ? {} : { client }),
        ...(reason === undefined ? {} : { reason }),
        ...(ticket === undefined ? {} : { ticket }),
        ...(approvedBy === undefined ? {} : { approvedBy }),
        ...(waived === undefined ? {} : { waived }),
        ...defined({ awaitsApproval, approvalsNeeded, waiverApprovals }),
      },
    ];
  });

/** `ops@bastion (sudo by kim)` */
export const whoText = ({ by = '', sudoUser }: Pick<Audit, 'by' | 'sudoUser'>): string =>
  sudoUser === undefined ? by : `${by} (sudo by ${sudoUser})`;

/**
 * `2026-11-21 22:00 UTC  apply  ops@bastion (sudo by kim) from 10.0.0.5 · CHG-4711 · kernel is fixed`, a line for each part of a run. A
 * rollback is recorded as the apply of its playbook; it is named as it was typed.
 */
export function auditLines(events: readonly Recorded[], isRollback: boolean): readonly string[] {
  const parts = partsOf(events).map((part) => ({
    ...part,
    typed: isRollback && part.verb === 'apply' ? 'rollback' : part.verb,
  }));
  const width = Math.max(LEAST_VERB, ...parts.map(({ typed }) => typed.length));
  return parts.map((part) => {
    const { typed, atMs, client, ticket, approvedBy = [], reason } = part;
    const from = client === undefined ? '' : ` from ${client}`;
    const approved = approvedBy.length === 0 ? '' : `approved by ${approvedBy.join(', ')}`;
    const said = [
      `${whoText(part)}${from}`,
      ...[ticket === undefined ? '' : `ticket ${ticket}`, approved, waiverText(part), reason ?? ''],
    ];
    return printableLine(`${utcText(atMs)}  ${typed.padEnd(width)}  ${said.filter((text) => text !== '').join(' · ')}`);
  });
}

const utcText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** `waives NAME, approved by kim@ctl-2 (2026-11-26 22:01 UTC), awaits 1 more approval`; empty: nothing. */
export function waiverText({ waived = [], awaitsApproval, approvalsNeeded = 1, waiverApprovals = [] }: Audit): string {
  if (waived.length === 0) return '';
  const given = waiverApprovals.map(({ by, atMs }) => `${by} (${utcText(atMs)})`);
  const missing = approvalsNeeded - given.length;
  return [
    `waives ${waived.join(', ')}`,
    ...(given.length === 0 ? [] : [`approved by ${given.join(', ')}`]),
    ...(awaitsApproval === undefined
      ? []
      : given.length === 0
        ? [`not approved: awaits ${count(missing, 'approval')}`]
        : [`awaits ${count(missing, 'more approval')}`]),
  ].join(', ');
}

/** With the reason that was given for it, where it stands alone. */
export const waiverWithReason = (part: Audit): readonly string[] =>
  part.waived === undefined ? [] : [`${waiverText(part)}: ${part.reason ?? ''}`];

/** The tickets of a run, each once. */
export const ticketsOf = (parts: readonly Part[]): readonly string[] => [
  ...new Set(parts.flatMap(({ ticket }) => ticket ?? [])),
];
