import { port, probe, type PortState, type ProbeAnswer } from '../../facts/host.js';
import type { Prediction } from '../../terms/change.js';
import { need, type Need } from '../../terms/fact.js';
import type { At } from '../../terms/module.js';
import { matches } from '../shared/pattern.js';
import type { SystemctlArgs } from './schema.js';

const PROBE_TIMEOUT_MS = 20_000;

/** Why the unit is not ready yet; undefined when it is, or when nothing was asked. `is-active` is not health. */
export function notReady(
  ready: SystemctlArgs['ready'],
  found: { readonly 'ready:port'?: PortState; readonly 'ready:probe'?: ProbeAnswer },
): string | undefined {
  const { 'ready:port': listening, 'ready:probe': answer } = found;
  if (ready?.port !== undefined && listening?.open !== true) return `nothing listens on port ${ready.port}`;
  if (ready?.probe === undefined || answer === undefined) return undefined;
  // What it says decides over how it ends: there are control tools that end with 1 when all is well.
  if (ready.stdout !== undefined)
    return matches(ready.stdout, answer.stdout) ? undefined : `${ready.probe[0]} does not say "${ready.stdout}"`;
  return answer.exit === 0 ? undefined : `${ready.probe[0]} ended with status ${answer.exit}`;
}

/** A port opens and closes with its service; what a probe prints is not known. */
export const predictReady = (ready: SystemctlArgs['ready'], up: boolean, { task }: At): Prediction[] => [
  ...(ready?.port === undefined ? [] : [{ ref: need(task.on, port, ready.port), value: { open: up } }]),
  ...(ready?.probe === undefined
    ? []
    : [{ ref: readiness(ready, task.on)['ready:probe'] as Need, unknown: `whether ${ready.probe[0]} finds it ready` }]),
];

/** The facts that show whether it is ready. */
export const readiness = (ready: SystemctlArgs['ready'], on: At['task']['on']): Readonly<Record<string, Need>> => ({
  ...(ready?.port === undefined ? {} : { 'ready:port': need(on, port, ready.port) }),
  ...(ready?.probe === undefined
    ? {}
    : { 'ready:probe': need(on, probe, { argv: ready.probe, timeoutMs: PROBE_TIMEOUT_MS }) }),
});
