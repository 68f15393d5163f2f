import { http, type HttpAnswer } from '../facts/http.js';
import type { DoctorItem } from '../report/doctor-report.js';
import { need, refKey, type Answer } from '../terms/fact.js';
import type { Endpoint, Inventory } from '../terms/inventory.js';
import type { Fleet } from '../terms/machine.js';
import type { Part } from './doctor-access.js';

const LIMIT_MS = 10_000;

/** Asks each node of each endpoint for its first page, with the credentials and by the way that the upgrade takes. */
export async function endpointProblems(
  { endpoints }: Inventory,
  { reader }: Pick<Fleet, 'reader'>,
): Promise<Part & { readonly reasons: readonly string[] }> {
  const asked = Object.values(endpoints).flatMap((endpoint) =>
    endpoint.urls.map(({ url, host }) => ({
      endpoint,
      url,
      need: need({ endpoint: endpoint.name, ...(host === undefined ? {} : { node: host }) }, http, {
        path: '/',
        timeoutMs: LIMIT_MS,
      }),
    })),
  );
  const answers = await reader.ask(asked.map((one) => one.need));
  const found = asked.map((one) => ({ ...one, wrong: whyNot(one.endpoint, answers.get(refKey(one.need))) }));
  const problems = found.flatMap(({ endpoint, url, wrong }): readonly DoctorItem[] =>
    wrong === undefined
      ? []
      : [
          {
            check: 'Endpoint answers, certificate, credentials',
            hosts: [],
            text: `endpoint ${endpoint.name} (${url}): ${wrong.reason.replace(`${endpoint.name}: `, '')}`,
            evidence: [],
            ...(wrong.hint === undefined ? {} : { fix: wrong.hint }),
          },
        ],
  );
  const right = found.filter(({ wrong }) => wrong === undefined);
  return {
    problems,
    warnings: [],
    groups:
      right.length === 0
        ? []
        : [{ name: 'Endpoints', passed: right.map(({ endpoint, url }) => `${endpoint.name} ${url}`), hosts: [] }],
    reasons: found.flatMap(({ wrong }) => (wrong === undefined ? [] : [wrong.reason])),
  };
}

interface Wrong {
  readonly reason: string;
  readonly hint?: string;
}

function whyNot({ name, user, via }: Endpoint, answer: Answer | undefined): Wrong | undefined {
  if (answer === undefined) return undefined;
  if (answer.is === 'failed') return answer;
  const got = answer.value as unknown as HttpAnswer;
  if (got.is === 'untrusted') return got;
  if (got.is === 'unreachable') {
    const through =
      via === undefined
        ? `set endpoints.${name}.via, such as role.ROLE, where the port is open only on the host`
        : `check endpoints.${name}.url, and that its service runs`;
    return { reason: got.reason, hint: through };
  }
  if (got.status === 401)
    return {
      reason: `the user ${user ?? 'anonymous'} is not accepted (status 401)`,
      hint: `check endpoints.${name}.user and its secret`,
    };
  return got.status >= 500
    ? { reason: `it answers with status ${got.status}`, hint: 'check the log of its service' }
    : undefined;
}
