import type { Recorded } from '../../terms/event.js';
import { diagnosisOf, foundLines, notRunLines } from '../checks/diagnosis-view.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { printableLine, section, type Style } from '../style.js';

/** Hosts on which a step failed since the run was last begun; one that was lost has nothing to look at. */
export function hostsThatFailed(events: readonly Recorded[]): readonly string[] {
  const begun = events.findLastIndex(({ event }) => event.e === 'run-started');
  const since = events.slice(Math.max(begun, 0)).map(({ event }) => event);
  const lost = new Set(since.flatMap((e) => (e.e === 'host-lost' ? [e.host] : [])));
  const failed = since.flatMap((e) =>
    e.e === 'settled' && (e.as === 'failed' || e.as === 'blocked') && 'host' in e.task.on ? [e.task.on.host] : [],
  );
  return [...new Set(failed)].filter((host) => !lost.has(host));
}

/** What a diagnosis of the hosts that failed found, for the end of a run that failed; it says so, too, when that is nothing. */
export function causeLines(events: readonly Recorded[], hosts: readonly string[], style: Style): readonly string[] {
  const { conditions } = diagnosisOf(events);
  const found = conditions.filter((condition) => condition.found.length > 0);
  const cut = events.at(-1)?.event.e !== 'run-ended';
  const lost = [...new Set(conditions.flatMap((condition) => condition.lost))];
  const rest = [
    ...(lost.length === 0
      ? []
      : [`   ${style.cyan('?')} ${style.bold(nameHosts(lost))}  not checked: does not answer`]),
    ...notRunLines(
      conditions.flatMap(({ notRun }) => notRun),
      style,
    ),
    ...(cut ? [style.dim('(the diagnosis did not finish in time; for all checks: runbook diagnose)')] : []),
  ];
  if (found.length === 0 && cut) return rest;
  const seen = hosts.filter((host) => !lost.includes(host));
  if (found.length === 0 && seen.length === 0) return rest;
  if (found.length === 0) return [style.dim(`No known failure was found on ${nameHosts(seen)}.`), ...rest];
  return [
    `Found on ${nameHosts(hosts)}:`,
    ...found.flatMap((condition) => [
      ` ${style.yellow('!')} ${printableLine(condition.name)}  ${style.dim(section(condition.spec))}`,
      ...condition.found.flatMap((one) => foundLines(one, style)),
    ]),
    ...rest,
  ];
}
