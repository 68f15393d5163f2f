import { http, type HttpAnswer } from '../../facts/http.js';
import type { DoctorItem, NotChecked } from '../../report/checks/doctor-report.js';
import type { Needs } from '../../report/checks/needs.js';
import { need, refKey, type Answer } from '../../terms/fact.js';
import type { Endpoint } from '../../terms/inventory.js';
import type { Reader } from '../../terms/machine.js';
import type { Grant, OwnPermissions } from '../../terms/own-permissions.js';
import { keyOf } from '../../terms/subject.js';
import type { Part } from './access.js';
import type { Unreachable } from './unreachable.js';

type Needed = Needs['permissions'][number];
type Judge = (permission: string) => Grant | { readonly unreadable: string };

interface Permissions extends Part {
  readonly notChecked: readonly NotChecked[];
  /** Endpoints whose users lack a permission. */
  readonly lacking: readonly string[];
}

/** What the users of endpoints may do, as the endpoints list it, compared with what `doctor --needs` lists. Nothing is written to find out. */
export async function permissionsOf(
  needed: readonly Needed[],
  endpoints: readonly Endpoint[],
  ways: readonly OwnPermissions[],
  reader: Reader,
  unreachable: Unreachable,
): Promise<Permissions> {
  const open = endpoints.map(({ name }) => name);
  const asked = ways
    .filter(({ endpoint }) => open.includes(endpoint))
    .map((way) => ({ way, need: need({ endpoint: way.endpoint }, http, { path: way.path }) }));
  const answers = await reader.ask(asked.map((one) => one.need));
  const judges = new Map(asked.map((one) => [one.way.endpoint, judgeOf(one.way, answers.get(refKey(one.need)))]));
  const judgeAt = (endpoint: string): Judge => {
    const closed = unreachable.get(keyOf({ endpoint }));
    return closed === undefined ? (judges.get(endpoint) ?? (() => 'unknown')) : () => ({ unreadable: closed });
  };
  const judged = needed
    .filter(({ endpoint }) => open.includes(endpoint))
    // The platform lists permissions that serve one purpose together.
    .flatMap((one) => one.permission.split(', ').map((permission) => ({ ...one, permission })))
    .map((one) => ({ ...one, is: judgeAt(one.endpoint)(one.permission) }));
  const passed = judged.filter(({ is }) => is === 'granted').map((one) => `${one.endpoint} ${one.permission}`);
  const denied = judged.filter(({ is }) => is === 'denied');
  return {
    problems: denied.map(missing),
    lacking: denied.map(({ endpoint }) => endpoint),
    warnings: [],
    notChecked: judged.flatMap(({ is, endpoint, user, permission }): readonly NotChecked[] => {
      const at = { checks: [permission], hosts: [] };
      if (typeof is === 'object') return [{ code: 'unreadable', because: is.unreadable, ...at }];
      const because = `${endpoint}: the endpoint does not show whether the user ${user} has these permissions`;
      return is === 'unknown' ? [{ code: 'not-shown', because, ...at }] : [];
    }),
    groups: passed.length === 0 ? [] : [{ name: 'Permissions', passed, hosts: [] }],
  };
}

function judgeOf({ grant }: OwnPermissions, answer: Answer | undefined): Judge {
  if (answer === undefined) return () => 'unknown';
  if (answer.is === 'failed') return () => ({ unreadable: answer.reason });
  const got = answer.value as unknown as HttpAnswer;
  if (got.is !== 'answered') return () => ({ unreadable: got.reason });
  return (permission) => (got.status === 200 ? grant(got.json, permission) : 'unknown');
}

const missing = ({ endpoint, user, permission, for: what }: Needed): DoctorItem => ({
  check: `Endpoint ${endpoint}: permissions`,
  hosts: [],
  text: `the user ${user} does not have ${permission}`,
  evidence: [`for: ${what}`],
  fix: `grant ${permission} to ${user}; runbook doctor --needs lists all that is needed`,
});
