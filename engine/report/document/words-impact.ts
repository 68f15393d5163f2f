import type { AssessedBackOut } from '../../terms/assessment.js';
import { showDuration } from '../../lib/duration.js';
import { estimateText } from '../plan/estimate-text.js';
import { snapshotText, stageNow } from '../plan/impact-lines.js';
import { dateText } from '../plan/plan-heading.js';
import type { Block, Part, Text } from './blocks.js';
import type { BackOut, Impact, Section, Service, TimelineOf } from './document.js';
import type { Words } from './words-context.js';

const KIND: Readonly<Record<Service['is'], Part>> = {
  down: { state: 'DOWN', tone: 'bad' },
  'in turn': { state: 'one at a time', tone: 'warn' },
  restart: { state: 'restart', tone: 'info' },
};

/** Which services are down, where and for how long. */
export function impactBlocks({ services }: Impact, { document, hosts }: Words): readonly Block[] {
  const isPlan = document.of === 'plan';
  const isDamaged = document.sections.some((one) => one.is === 'summary' && one.damage !== undefined);
  const none = isPlan
    ? 'No service is down.'
    : `The run stopped no service${isDamaged ? ' before the damage in its journal; what it did after it is not known' : ''}.`;
  if (services.length === 0) return [{ is: 'paragraph', text: [none] }];
  const isEstimated = services.some(({ estimate }) => estimate !== undefined);
  const times = [...(isEstimated ? ['Estimate'] : []), ...(isPlan ? [] : ['Measured'])];
  return [
    {
      is: 'table',
      label: 'Impact',
      head: ['Service', 'Downtime', 'Hosts', ...times, 'What it means'],
      rows: services.map((service) => {
        const { title, is, note = '', staysDown } = service;
        const more = (service.downNow ?? []).length > 0 ? ' more' : '';
        const each = is === 'down' ? more : service.hosts.length > 1 ? ' each' : '';
        const stays: Text =
          staysDown.length === 0
            ? []
            : [
                { state: isPlan ? 'STAYS DOWN' : 'DOWN', tone: 'bad' },
                ' on ',
                ...hosts.text(staysDown),
                note === '' ? '' : '. ',
              ];
        return [
          [{ strong: title }],
          [KIND[is]],
          hosts.text(service.hosts),
          ...(isEstimated ? [[{ name: estimateOf(service, each) }]] : []),
          ...(isPlan ? [] : [[{ name: measuredOf(service, each) }]]),
          [...downNowText(service, hosts), ...stays, note],
        ];
      }),
    },
  ];
}

/** It is down there as the plan is made. */
function downNowText({ downNow = [], downSinceMs }: Service, hosts: Words['hosts']): Text {
  if (downNow.length === 0) return [];
  const since = downSinceMs === undefined ? '' : ` since ${dateText(downSinceMs)}`;
  return [{ state: 'DOWN NOW', tone: 'bad' }, ' on ', ...hosts.text(downNow.map(({ host }) => host)), `${since}. `];
}

const estimateOf = ({ estimate }: Service, each: string): string =>
  estimate === undefined ? 'not planned' : `${estimateText(estimate)}${each}`;

function measuredOf({ measuredMs, staysDown }: Service, each: string): string {
  if (measuredMs === undefined) return '';
  if (staysDown.length > 0) return `at least ${showDuration(measuredMs)}`;
  return `${each === ' each' ? 'at most ' : ''}${showDuration(measuredMs)}`;
}

/** The picture, and the same as a table. */
export function timelineBlocks(timeline: TimelineOf): readonly Block[] {
  const { rows, estimateMs, measuredMs } = timeline;
  if (rows.length === 0) return [];
  const label =
    measuredMs === undefined
      ? 'Estimated timeline'
      : estimateMs === undefined
        ? 'Measured timeline'
        : 'Timeline, estimate and measurement';
  return [
    { is: 'picture', label, timeline },
    { is: 'folded', title: 'The timeline as a table', blocks: [timelineTable(timeline)] },
  ];
}

function timelineTable({ rows, estimateMs, measuredMs }: TimelineOf): Block {
  const columns = [
    ...(estimateMs === undefined ? [] : (['estimate'] as const)),
    ...(measuredMs === undefined ? [] : (['measured'] as const)),
  ];
  const spans = (all: readonly { readonly fromMs: number; readonly toMs: number }[]): string =>
    all.map(({ fromMs, toMs }) => `${clock(fromMs)} to ${clock(toMs)}, ${showDuration(toMs - fromMs)}`).join('; ');
  return {
    is: 'table',
    label: 'Timeline',
    head: ['Phase or service', 'Hosts', ...columns.map((c) => (c === 'estimate' ? 'Estimate' : 'Measured'))],
    rows: rows.map((row) => [
      [row.title],
      [row.hosts.length > 6 ? `${row.hosts.length} hosts` : row.hosts.join(', ')],
      ...columns.map((c) => [row[c].length > 12 ? `${row[c].length} times` : spans(row[c])]),
    ]),
  };
}

/** Hours, minutes and seconds since the start: `0:04:10`. */
export function clock(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** What was late or lost, where, from when to when. */
export function outageBlocks({ outages }: Extract<Section, { is: 'outages' }>, { hosts }: Words): readonly Block[] {
  if (outages.length === 0) return [];
  return [
    {
      is: 'table',
      label: 'Down from when to when',
      head: ['Service', 'Host', 'From', 'To', 'Time', 'What it means'],
      rows: outages.map(({ title, note = '', host, fromMs, toMs, isOpen }): readonly Text[] => [
        [{ strong: title }],
        hosts.text([host]),
        [secondText(fromMs)],
        isOpen ? [{ state: 'DOWN', tone: 'bad' }, ` at ${secondText(toMs)}`] : [secondText(toMs)],
        [`${isOpen ? 'at least ' : ''}${showDuration(toMs - fromMs)}`],
        [note],
      ]),
    },
  ];
}

/** To the second: it is compared with the logs of other systems. */
const secondText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Whence a time is known, where not all are defaults. */
const basisOf = ({ counted, measured }: AssessedBackOut): string =>
  counted !== undefined
    ? ', counted by a plan of it'
    : measured === true
      ? ', measured by an earlier rollback'
      : ', default of the playbook';

const notPromised = (isOver: boolean, isImpossible: boolean): string =>
  isImpossible ? 'not possible' : isOver ? 'no longer promised' : 'not promised';

/** How to go back from each stage, and what cannot be taken back. */
export function backOutBlocks({ asOfMs, stages, pointsOfNoReturn }: BackOut): readonly Block[] {
  const areDefaults = stages.every(({ measured, counted }) => measured === undefined && counted === undefined);
  const reached = asOfMs === undefined ? undefined : stages.indexOf(stageNow(stages) as AssessedBackOut);
  return [
    ...(asOfMs === undefined || stages.length === 0
      ? []
      : [
          {
            is: 'paragraph',
            text: [
              `As the platform was ${dateText(asOfMs)}, when the run had stopped. `,
              reached === -1 ? 'All of these stages are over.' : 'NOW marks the stage that was reached.',
            ],
          } as const,
        ]),
    ...(stages.length === 0
      ? []
      : [
          {
            is: 'table',
            label: 'Back-out',
            head: ['Until', 'Back-out', areDefaults ? 'Time (default of the playbook)' : 'Time', 'Data loss'],
            rows: stages.map((one, i): readonly Text[] => {
              const { stage, do: what, command, takesMs, counted, dataLoss, because, impossible, over } = one;
              const takes = counted === undefined ? `about ${showDuration(takesMs)}` : estimateText(counted);
              return [
                i === reached ? [{ state: 'NOW', tone: 'info' }, ` ${stage}`] : [stage],
                [command === undefined ? what : { code: what }],
                [
                  ...(impossible === true ? [] : [`${takes}${areDefaults ? '' : basisOf(one)}`]),
                  ...(because === undefined
                    ? []
                    : [
                        impossible === true ? '' : '; ',
                        { state: notPromised(over === true, impossible === true), tone: 'warn' } as const,
                        `: ${because}`,
                      ]),
                ],
                [impossible === true ? '' : dataLoss],
              ];
            }),
          } as const,
        ]),
    ...stages.flatMap(({ snapshot }): readonly Block[] =>
      snapshot === undefined
        ? []
        : [{ is: 'paragraph', text: [{ strong: 'Snapshot:' }, ` ${snapshotText(snapshot)}`] }],
    ),
    ...(pointsOfNoReturn.length === 0
      ? []
      : [
          {
            is: 'list',
            items: pointsOfNoReturn.map(({ phase, text, startsAfter, passedMs }): Text => [
              { state: 'POINT OF NO RETURN', tone: 'bad' },
              passedMs === undefined
                ? ` from phase ${phase} on${startsAfter === undefined ? '' : `, ${estimateText(startsAfter)} after the start`}: ${text}`
                : ` passed ${dateText(passedMs)}, in phase ${phase}: ${text}`,
            ]),
          } as const,
        ]),
  ];
}

/** Packages with their versions, and what an endpoint is asked to upgrade. */
export function versionBlocks(
  { versions, itemUpgrades }: Extract<Section, { is: 'versions' }>,
  { hosts }: Words,
): readonly Block[] {
  return [
    ...(versions.length === 0
      ? []
      : [
          {
            is: 'table',
            label: 'Versions',
            head: ['Package', 'From', 'To', 'Hosts'],
            rows: versions.map((v): readonly Text[] => [
              [v.package],
              [v.from ?? 'none'],
              v.finished === false ? [`${v.to} `, { state: 'not finished', tone: 'bad' }] : [v.to],
              hosts.text(v.hosts),
            ]),
          } as const,
        ]),
    ...(itemUpgrades.length === 0 ? [] : [{ is: 'list', items: itemUpgrades.map((text) => [text]) } as const]),
  ];
}
