import { http, type HttpAnswer, type HttpQuestion } from '../../facts/http.js';
import { errorText } from '../../lib/error-text.js';
import { groupBy } from '../../lib/group-by.js';
import type { DoctorItem, NotChecked } from '../../report/checks/doctor-report.js';
import { need, refKey, type Answer, type Need } from '../../terms/fact.js';
import type { Project } from '../../language/project.js';
import type { Endpoint } from '../../terms/inventory.js';
import type { Reader } from '../../terms/machine.js';
import { keyOf } from '../../terms/subject.js';
import type { Part } from './access.js';
import type { Unreachable } from './unreachable.js';

const LIMIT_MS = 10_000;

/** The path that an endpoint is asked for. */
const pathOf = ({ path = '/' }: Endpoint): string => path;

/** Asks each node of each endpoint for the path that the inventory names, else for its first page, with the credentials and by the way that the upgrade takes. */
export async function endpointProblems(
  endpoints: readonly Endpoint[],
  reader: Reader,
  behind: Unreachable,
): Promise<Part & { readonly notChecked: readonly NotChecked[]; readonly closed: Unreachable }> {
  const all = endpoints.flatMap((endpoint) =>
    endpoint.urls.map(({ url, host }) => ({
      endpoint,
      url,
      need: need({ endpoint: endpoint.name, ...(host === undefined ? {} : { node: host }) }, http, {
        path: pathOf(endpoint),
        timeoutMs: LIMIT_MS,
      }),
    })),
  );
  const skipped = (one: (typeof all)[number]): string | undefined =>
    behind.get(keyOf(one.need.of)) ?? behind.get(keyOf({ endpoint: one.endpoint.name }));
  const asked = all.filter((one) => skipped(one) === undefined);
  const answers = await reader.ask(asked.map((one) => one.need));
  const found = asked.map((one) => ({ ...one, wrong: whyNot(one.endpoint, answers.get(refKey(one.need))) }));
  const wrong = found.flatMap(({ endpoint, need: { of }, wrong: it }) =>
    it === undefined ? [] : [{ ...it, name: endpoint.name, endpoint, of }],
  );
  const isClosed = ({ name }: Endpoint): boolean =>
    found.every(({ endpoint, wrong: it }) => endpoint.name !== name || it?.isClosed === true);
  const closed = wrong.filter(({ endpoint }) => isClosed(endpoint));
  const right = found.filter((one) => one.wrong === undefined);
  return {
    closed: new Map([
      ...wrong.flatMap(({ of, reason, isClosed: it }) =>
        it === true && 'node' in of ? [[keyOf(of), reason] as const] : [],
      ),
      ...closed.map(({ endpoint, reason }) => [keyOf({ endpoint: endpoint.name }), reason] as const),
    ]),
    notChecked: all.flatMap((one): readonly NotChecked[] => {
      const because = skipped(one);
      return because === undefined
        ? []
        : [{ code: 'unreadable', because, checks: [checkOf(one.endpoint.name)], hosts: [] }];
    }),
    problems: groupBy(wrong, ({ name, hint = '' }) => JSON.stringify([name, hint])).map((all) => {
      const [{ name, hint }] = all;
      const text = [...new Set(all.map(({ reason }) => reason))].join('; ');
      return itemOf(checkOf(name), text, hint);
    }),
    warnings: [],
    groups:
      right.length === 0
        ? []
        : [{ name: 'Endpoints', passed: right.map(({ endpoint, url }) => `${endpoint.name} ${url}`), hosts: [] }],
  };
}

const checkOf = (name: string): string => `Endpoint ${name}: connection, certificate, credentials`;

const itemOf = (check: string, text: string, fix: string | undefined): DoctorItem => ({
  check,
  hosts: [],
  text,
  evidence: [],
  ...(fix === undefined || fix === '' ? {} : { fix }),
});

interface Wrong {
  readonly reason: string;
  /** No connection: nothing else can be asked there. */
  readonly isClosed?: boolean;
  readonly hint?: string;
}

function whyNot(endpoint: Endpoint, answer: Answer | undefined): Wrong | undefined {
  const { name, user, via, path } = endpoint;
  if (answer === undefined) return undefined;
  if (answer.is === 'failed') return { ...answer, isClosed: answer.why === 'unreachable' };
  const got = answer.value as unknown as HttpAnswer;
  if (got.is === 'untrusted') return got;
  if (got.is === 'unreachable') {
    const open = 'check that its service runs and that this machine may connect';
    const through = `where only its own host may, set endpoints.${name}.via, such as role.ROLE`;
    const hint = via === undefined ? `${open}; ${through}` : `check endpoints.${name}.url, and that its service runs`;
    return { reason: got.reason, hint, isClosed: true };
  }
  if (got.status === 401)
    return {
      reason: `${name}: the user ${user ?? 'anonymous'} is not accepted (401)`,
      hint: `check endpoints.${name}.user and its secret`,
    };
  if (got.status >= 500) return { reason: `${name} answers ${answered(got)}`, hint: LOG_HINT };
  return got.status >= 400 && path !== undefined
    ? {
        reason: `${name} answers ${answered(got)} to ${path}`,
        hint: `check endpoints.${name}.path, and what its user may`,
      }
    : undefined;
}

const LOG_HINT = 'wait until it is ready; if it stays so, read the log of its service';

const answered = ({ status, text }: Extract<HttpAnswer, { is: 'answered' }>): string => {
  const said = errorText(text);
  return `${status}${said === '' ? '' : ` (${said})`}`;
};

interface Refused {
  readonly endpoint: string;
  readonly path: string;
  readonly status: number;
  readonly answer: string;
}

/** A reader that keeps what endpoints refuse to the checks, so that nothing is asked a second time to judge it. */
export function keepRefused(reader: Reader): { readonly reader: Reader; readonly refused: readonly Refused[] } {
  const refused: Refused[] = [];
  return {
    refused,
    reader: {
      async ask(needs, context) {
        const answers = await reader.ask(needs, context);
        refused.push(...needs.flatMap((one) => refusedOf(one, answers.get(refKey(one)))));
        return answers;
      },
    },
  };
}

function refusedOf({ of, fact, key }: Need, answer: Answer | undefined): readonly Refused[] {
  if (!('endpoint' in of) || fact !== http.name || answer?.is !== 'value') return [];
  const got = answer.value as unknown as HttpAnswer;
  if (got.is !== 'answered' || (got.status !== 403 && got.status < 500)) return [];
  const { path } = JSON.parse(key) as HttpQuestion;
  return [{ endpoint: of.endpoint, path, status: got.status, answer: answered(got) }];
}

/**
 * What an endpoint that answers refused to the checks: a permission that is missing (unless the endpoint listed already what its user lacks),
 * or a service that is not ready.
 */
export function refusedProblems(
  refused: readonly Refused[],
  { inventory, platform }: Pick<Project, 'inventory' | 'platform'>,
  lacking: readonly string[],
): readonly DoctorItem[] {
  const isExpected = ({ endpoint, path, status }: Refused): boolean =>
    path === (inventory.endpoints[endpoint]?.path ?? '/') ||
    (status === 403 && lacking.includes(endpoint)) ||
    Object.values(platform.facts).some(
      (fact) =>
        'endpoint' in fact &&
        fact.endpoint === endpoint &&
        fact.path === path &&
        fact.absent?.includes(status) === true,
    );
  const alike = groupBy(
    refused.filter((one) => !isExpected(one)),
    ({ endpoint, answer }) => JSON.stringify([endpoint, answer]),
  );
  return alike.map((all) => {
    const [{ endpoint, status, answer }] = all;
    const calls = [...new Set(all.map(({ path }) => path.replace(/\?.*$/, '')))].join(', ');
    const user = inventory.endpoints[endpoint]?.user ?? 'anonymous';
    return status === 403
      ? itemOf(
          `Endpoint ${endpoint}: permissions`,
          `${endpoint} denies ${calls} to the user ${user}: ${answer}`,
          `grant the permission to ${user}: runbook doctor --needs lists those that are needed`,
        )
      : itemOf(`Endpoint ${endpoint}: readiness`, `${endpoint} answers ${answer} to ${calls}`, LOG_HINT);
  });
}
