import { packageState } from '../../facts/package.js';
import { http, type HttpAnswer } from '../../facts/http.js';
import { probe } from '../../facts/host.js';
import { service } from '../../facts/service.js';
import type { Touch } from '../../terms/change.js';
import type { Cause, FactRef, Need } from '../../terms/fact.js';
import { keyOf } from '../../terms/subject.js';
import { knownOnly } from '../facts/resolve-facts.js';
import { nameOf } from '../facts/text-of.js';
import type { Run } from '../run.js';
import type { PlannedAct } from './planned-act.js';

/**
 * The step of this plan because of which these facts may read otherwise when their turn comes, in this play. Files, packages and units are
 * no matter of this: a plan knows what its steps make of them. What a command prints or an endpoint answers, no module predicts.
 */
export function changedBy(run: Run, reads: readonly Need[], play: string | undefined): Cause | undefined {
  return causeIn(run, (act) => reads.some((ref) => mayChange(run, act, ref, play)));
}

/** The step because of which what cannot be read now can be read then: it starts or installs what answers. */
export function readableBy(run: Run, reads: readonly Need[]): Cause | undefined {
  const unread = reads.filter((ref) => !isAnswered(run, ref));
  return causeIn(run, (act) => unread.some((ref) => mayAnswerAfter(run, act, ref)));
}

function causeIn({ plannedActs }: Run, fits: (act: PlannedAct) => boolean): Cause | undefined {
  const act = plannedActs.last(fits);
  return act === undefined ? undefined : { because: `"${act.name}" comes before it`, dependsOn: [act.step] };
}

/** Steps of one play on a host belong together: what a command prints after any of them, none of them knows. */
function mayChange(run: Run, act: PlannedAct, { of, fact }: FactRef, play: string | undefined): boolean {
  if ('endpoint' in of)
    return act.touches.some((touch) => keyOf(touch.of) === keyOf(of)) || servesEndpoint(run, act, of.endpoint);
  return fact === probe.name && keyOf(act.on) === keyOf(of) && (act.play === play || act.touches.some(isOfProgram));
}

function mayAnswerAfter(run: Run, act: PlannedAct, { of, fact }: FactRef): boolean {
  if ('endpoint' in of) return act.stops.length === 0 && servesEndpoint(run, act, of.endpoint);
  return fact === probe.name && keyOf(act.on) === keyOf(of) && (act.runs || act.touches.some(isOfProgram));
}

/** A command answers by the programs and services of its host. */
const isOfProgram = (touch: Touch): boolean =>
  'everything' in touch || touch.fact === service.name || touch.fact === packageState.name;

/** Does it act on the service or the package of a component that answers this endpoint? The platform file says which ones do (`names.COMPONENT.endpoint`). */
function servesEndpoint(run: Run, { on, touches }: PlannedAct, endpoint: string): boolean {
  if (!('host' in on)) return false;
  // Names of components are written in files.
  const named = (component: string, name: string): string | undefined =>
    nameOf(run, component, name, knownOnly(run), on.host);
  return Object.keys(run.project.platform.names).some(
    (component) =>
      named(component, 'endpoint') === endpoint &&
      touches.some(
        (touch) =>
          'fact' in touch &&
          ((touch.fact === service.name && touch.key === named(component, 'service')) ||
            (touch.fact === packageState.name && touch.key === named(component, 'package'))),
      ),
  );
}

/** An endpoint answered this. What a command printed does not show whether it could tell. */
function isAnswered(run: Run, ref: Need): boolean {
  if (ref.fact !== http.name) return false;
  const reading = run.facts.lookup(ref);
  if (reading === undefined || 'failed' in reading || !reading.known) return false;
  const answer = reading.value as unknown as HttpAnswer;
  return answer.is === 'answered' && answer.status < 500;
}
