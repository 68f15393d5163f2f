// `npx tsx tests/trials/http-window.ts [--rounds 50] [--seed 1]`: a controller is frozen at a seeded moment around a request, its run is taken
// over from another folder and completed, and it is awakened. Over HTTP there is no lease: one request that was allowed just before the freeze
// may still be sent. That is counted, not forbidden.
import { json, startServer, type Seen, type TestServer } from '../machines/http-server.js';
import { onePlay } from '../cli/cli-harness.js';
import { awaken, freeze, freezing, momentOf, STEPS, type Moment } from './moments.js';
import { newTeam } from './team.js';
import { counts, inRounds, runTrial, type Trial } from './trial.js';

/** A request takes about so long from its record to its answer. */
const ANY_MS = 20;
const AT_ONCE = 3;

/** Each sets a resource: a resume reads it, and sends the request where it differs. Each round has a service of its own. */
const put = (n: number): string => `      - step: step${n}
        http: { endpoint: service, method: PUT, path: /step${n}, json: { state: done } }\n`;
const PLAYBOOK = onePlay(Array.from({ length: STEPS }, (_, n) => put(n)).join(''));

interface Round {
  readonly when: string;
  /** Requests that the awakened controller sent. */
  readonly late: number;
  readonly missing: number;
  readonly codes: string;
  readonly detail: string;
}

async function startService(): Promise<TestServer> {
  const values = new Map<string, unknown>();
  return startServer(({ method, url, body }, response) => {
    if (method === 'PUT') values.set(url, JSON.parse(body));
    json(response, 200, values.get(url) ?? {});
  });
}
const isPut = ({ method }: Seen): boolean => method === 'PUT';

async function once(trial: Trial, moment: Moment): Promise<Round> {
  const service = await startService();
  const endService = trial.atEnd(() => service.end());
  const team = await newTeam(trial, PLAYBOOK, (inventory) =>
    inventory.replace('endpoints: {}', `endpoints: { service: { url: "${service.url}" } }`),
  );
  try {
    const frozen = team.start(team.a, ['apply', 'test.yaml', '-y'], freezing(moment, `PUT /step${moment.step} `));
    const wasFrozen = await freeze(frozen, moment, new RegExp(`step${moment.step}: `));
    const second = team.start(team.b, ['resume', '-y', '--take-over']);
    const completed = (await second.running).exitCode;
    const { code, late } = await awaken(frozen, () => service.seen.filter(isPut).length);
    const urls = new Set(service.seen.filter(isPut).map(({ url }) => url));
    return {
      when: wasFrozen ? moment.when : 'ended before',
      late,
      missing: STEPS - urls.size,
      codes: `${code} and ${completed}`,
      detail: `${frozen.text()}\n--- taken over:\n${second.text()}`,
    };
  } finally {
    await team.end();
    await endService();
  }
}

await runTrial(50, async (trial) => {
  const moments = Array.from({ length: trial.rounds }, () => momentOf(trial, ANY_MS));
  const rounds = await inRounds(trial.rounds, AT_ONCE, (n) => once(trial, moments[n] ?? momentOf(trial, ANY_MS)));
  trial.line(
    `${rounds.length} freezes; exit codes, frozen and completing: ${counts(rounds.map(({ codes }) => codes))}`,
  );
  for (const when of new Set(rounds.map((round) => round.when))) {
    const of = rounds.filter((round) => round.when === when);
    trial.line(
      `  ${when}: ${of.length} freezes, requests sent under an old fence in each: ${counts(of.map(({ late }) => late))}`,
    );
  }
  trial.rule(
    'at most one request is sent under an old fence',
    rounds.every(({ late }) => late <= 1),
  );
  trial.rule(
    'each request was sent',
    rounds.every(({ missing }) => missing === 0),
  );
  trial.rule(
    'the awakened controller stops with exit code 5',
    rounds.every(({ codes, when }) => codes === '5 and 0' || when === 'ended before'),
  );
  for (const [n, { codes, when, detail }] of rounds.entries())
    if (codes !== '5 and 0') trial.line(`round ${n}, ${when}: ${codes}\n${detail.replaceAll(/^/gm, '  | ')}`);
});
