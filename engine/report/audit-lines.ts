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
    const { by, version, sudoUser, client, reason, ticket, approvedBy, waived, awaitsApproval } = event;
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
        ...(awaitsApproval === undefined ? {} : { awaitsApproval }),
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
    const time = new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');
    const from = client === undefined ? '' : ` from ${client}`;
    const approved = approvedBy.length === 0 ? '' : `approved by ${approvedBy.join(', ')}`;
    const said = [
      `${whoText(part)}${from}`,
      ...[ticket === undefined ? '' : `ticket ${ticket}`, approved, waiverText(part), reason ?? ''],
    ];
    return printableLine(`${time} UTC  ${typed.padEnd(width)}  ${said.filter((text) => text !== '').join(' · ')}`);
  });
}

/** `waives NAME, which awaits approval`; empty: nothing. */
export const waiverText = ({ waived = [], awaitsApproval }: Pick<Audit, 'waived' | 'awaitsApproval'>): string =>
  waived.length === 0
    ? ''
    : `waives ${waived.join(', ')}${awaitsApproval === true ? ', not approved: that awaits its approval' : ''}`;

/** With the reason that was given for it, where it stands alone. */
export const waiverWithReason = (part: Audit): readonly string[] =>
  part.waived === undefined ? [] : [`${waiverText(part)}: ${part.reason ?? ''}`];

/** The tickets of a run, each once. */
export const ticketsOf = (parts: readonly Part[]): readonly string[] => [
  ...new Set(parts.flatMap(({ ticket }) => ticket ?? [])),
];
