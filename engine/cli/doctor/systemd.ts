import { noSystemd, systemd } from '../../facts/service.js';
import { select } from '../../language/playbook/selector.js';
import type { Project } from '../../language/project.js';
import type { DoctorItem } from '../../report/checks/doctor-report.js';
import { need, refKey } from '../../terms/fact.js';
import type { Host } from '../../terms/inventory.js';
import type { Reader } from '../../terms/machine.js';

/** Modules that act through systemd. */
const THROUGH_SYSTEMD: ReadonlySet<string> = new Set(['systemctl', 'package']);

/** Hosts without systemd on which a play has steps that need it. A condition may leave them out, so this is a warning; the plan refuses. */
export async function systemdWarnings(
  { playbook, platform }: Pick<Project, 'playbook' | 'platform'>,
  hosts: readonly Host[],
  reader: Reader,
): Promise<readonly DoctorItem[]> {
  const plays = playbook.plays.filter(({ steps }) => steps.some(({ module }) => THROUGH_SYSTEMD.has(module)));
  const names = [...new Set(plays.flatMap((play) => select(play, hosts, { roles: platform.roles })))];
  const needs = names.map((host) => need({ host }, systemd, undefined));
  const answers = await reader.ask(needs);
  const without = names.filter((_, i) => {
    const one = needs[i];
    const answer = one === undefined ? undefined : answers.get(refKey(one));
    return answer?.is === 'value' && answer.value === false;
  });
  if (without.length === 0) return [];
  const { reason: text, hint: fix } = noSystemd;
  return [{ check: 'systemd', hosts: without, text, evidence: [], fix }];
}
