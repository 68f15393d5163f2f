import type { Project } from '../../engine/language/project.js';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import type { Recorded } from '../../engine/terms/event.js';
import type { Ran } from '../run/bench-hosts.js';
import { differences, endState } from '../playbooks/end-state.js';
import { runOn } from '../playbooks/platform-bench.js';
import { actedAtAll } from '../playbooks/platform-looks.js';

/**
 * What becomes of an upgrade whose controller ended: it is released, or its run folder is lost. Then it is applied again; with `--from-hosts`
 * each step up to that moment may have been done.
 */
const WAYS = ['closed', 'lost', 'from hosts'] as const;

/** A step of the uninterrupted upgrade that has just ended on a host: the platform and the journal at that moment. */
interface Point {
  readonly step: string;
  readonly host: string;
  readonly state: PlatformState;
  readonly past: readonly Recorded[];
}

/** The uninterrupted upgrade: where it ends, and each step that acted. After any other step the platform is as before it. */
export interface Whole {
  readonly points: readonly Point[];
  readonly tasks: number;
  readonly end: Readonly<Record<string, string>>;
}

export interface Case {
  readonly name: string;
  /** The point's number. */
  readonly nth: number;
  readonly point: Point;
  readonly way: (typeof WAYS)[number];
}

export type Result =
  | { readonly is: 'same' }
  /** The operator is asked what became of a step, and does not know. */
  | { readonly is: 'asked'; readonly why: string }
  | { readonly is: 'refused'; readonly why: string }
  | { readonly is: 'different'; readonly why: string };

const ANSWER = 'yes';
/**
 * What hosts write by themselves, copies that are named by their time, and of the backups what the first run has altered before the second
 * makes its own (the tool's export of the security configuration). The other backups are compared: a second run must not overwrite them.
 */
const PASSING =
  /\/(log|logs|registry|alerts)\/|\/var\/lib\/apt\/lists\/|\.\d{8}T\d{6}Z|\/before-[\d.]+\/(saved-objects|.*\/security\/|.*\.bak)/;

export async function wholeUpgrade(project: Project, state: PlatformState): Promise<Whole> {
  const points: Point[] = [];
  const past: Recorded[] = [];
  let tasks = 0;
  let acted = true;
  const ran = await runOn(project, state, 'apply', {
    answer: ANSWER,
    name: 'first',
    on: (recorded) => {
      past.push(recorded);
      const { event } = recorded;
      acted ||= event.e === 'effect';
      if (event.e !== 'settled') return;
      tasks += 1;
      if (!acted) return;
      acted = false;
      const host = 'host' in event.task.on ? event.task.on.host : '';
      points.push({ step: event.name, host, state: structuredClone(state), past: [...past] });
    },
  });
  if (ran.end !== 'done') throw new Error(`the uninterrupted upgrade ended as ${ran.end}: ${whyOf(ran)}`);
  return { points, tasks, end: endState(state, PASSING) };
}

export const casesOf = ({ points }: Whole): readonly Case[] =>
  points.flatMap((point, nth) =>
    WAYS.map((way) => ({ name: `after "${point.step}" on ${point.host}, ${way}`, nth, point, way })),
  );

export async function tryCase(project: Project, whole: Whole, { point, way }: Case): Promise<Result> {
  const state = structuredClone(point.state);
  if (way === 'closed') {
    const released = await runOn(project, state, 'close', { past: point.past, answer: ANSWER });
    if (released.end !== 'closed') return { is: 'refused', why: `the release, for ${whyOf(released)}` };
  }
  const asked: string[] = [];
  const answer = (question: string): string | undefined => {
    if (!question.includes('done, or not done?')) return ANSWER;
    asked.push(question);
    return undefined;
  };
  const past = way === 'from hosts' ? [lostRun(project, point)] : [];
  const ran = await runOn(project, state, 'apply', { name: 'second', answer, past });
  if (asked.length > 0) return { is: 'asked', why: asked.join('\n    ') };
  if (ran.end === 'refused' && actedAtAll(ran).length === 0) return { is: 'refused', why: whyOf(ran) };
  if (ran.end !== 'done') return { is: 'different', why: `the second run ended as ${ran.end}: ${whyOf(ran)}` };
  const differs = differences(whole.end, endState(state, PASSING));
  return differs.length === 0 ? { is: 'same' } : { is: 'different', why: differs.join('\n    ') };
}

/** What a run records that goes on from hosts: all steps up to the last one may have been done. */
function lostRun({ playbook }: Project, { past }: Point): Recorded {
  const last = past.findLast(({ event }) => event.e === 'settled')?.event;
  const steps = playbook.plays.flatMap((play) => play.steps.map(({ path }) => path));
  const at = last?.e === 'settled' ? steps.indexOf(last.task.step) : -1;
  // An element of a loop is no step of the playbook: then all of them.
  const end = at === -1 ? steps.length : at;
  return {
    seq: 1,
    atMs: past.at(-1)?.atMs ?? 0,
    event: { e: 'journal-older', markers: [], steps: steps.slice(0, end + 1) },
  };
}

function whyOf({ events }: Ran): string {
  const settled = events.findLast((e) => e.e === 'settled' && !['ok', 'done'].includes(e.as));
  if (settled?.e === 'settled') return `${settled.name}: ${settled.reason ?? ''}`;
  const end = events.at(-1);
  return end?.e === 'run-ended' ? (end.reason ?? '') : 'no reason';
}
