import { allocate, nodeJoins } from './cluster.js';
import { heartbeat } from './events.js';
import { jobDue } from './jobs.js';
import { serviceDue } from './services.js';
import { settleManagement } from './management-state.js';
import { agentsUpgraded } from './agents.js';
import type { PlatformState, Timer } from './state.js';

/**
 * Lets virtual time pass up to `toMs` (milliseconds since the epoch): each timer in its order, at its own moment. Time never goes
 * back: an earlier `toMs` changes nothing.
 */
export function advance(state: PlatformState, toMs: number): void {
  for (let next = takeDue(state, toMs); next !== undefined; next = takeDue(state, toMs)) {
    state.nowMs = Math.max(state.nowMs, next.atMs);
    ring(state, next);
  }
  state.nowMs = Math.max(state.nowMs, toMs);
  const before = state.management;
  state.management = settleManagement(before, state.nowMs);
  agentsUpgraded(state, before);
}

function takeDue(state: PlatformState, toMs: number): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of state.timers)
    if (timer.atMs <= toMs && (first === undefined || timer.atMs < first.atMs)) first = timer;
  if (first !== undefined) state.timers.splice(state.timers.indexOf(first), 1);
  return first;
}

function ring(state: PlatformState, timer: Timer): void {
  switch (timer.due) {
    case 'service': {
      serviceDue(state, timer);
      return;
    }
    case 'node': {
      nodeJoins(state, timer.host, timer.starts);
      return;
    }
    case 'allocate': {
      allocate(state);
      return;
    }
    case 'job': {
      jobDue(state, timer.host, timer.id);
      return;
    }
    case 'heartbeat': {
      heartbeat(state);
      return;
    }
  }
}
