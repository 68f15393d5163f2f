import { secret } from '../facts/secret.js';
import type { HostFact } from '../facts/kind.js';
import type { Outcome } from '../terms/action.js';
import { refKey, type Answer, type Need } from '../terms/fact.js';
import type { Inventory } from '../terms/inventory.js';
import type { Actor, Clock, Fleet, ReadContext, Secrets } from '../terms/machine.js';
import { showText } from '../terms/secret.js';
import { hostName, keyOf, type Subject } from '../terms/subject.js';
import type { EndpointFacts } from './http/endpoint-facts.js';
import type { Endpoints } from './http/endpoint-reader.js';
import type { Executor, Zones } from './executor.js';
import type { TokenSignIn } from './http/token-sign-in.js';
import { createHostPool, type OnSilence } from './host-pool.js';
import { withSecrets } from './host-secrets.js';
import { failed, type Machine } from './machine.js';
import type { Simulator } from './simulator.js';
import type { Ask } from './ssh/ssh-auth.js';
import { systemClock } from './system-clock.js';

export interface FleetRequest {
  readonly inventory: Inventory;
  readonly secrets: Secrets;
  /** Asks the operator for a passphrase or a password, without an echo. Rejects when there is no terminal. */
  readonly ask: Ask;
  /** Where downloads are kept. */
  readonly cacheDir: string;
  readonly askBecomePassword?: boolean;
  readonly onSilence?: OnSilence;
  /** The environment with the socket of the ssh agent; absent: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Opens the simulator that the inventory names as its model. */
  readonly openSimulator: Simulator['open'];
  /** What the platform's modules ask of hosts beside the general facts. */
  readonly hostFacts: readonly HostFact[];
  /** What the platform's modules ask of endpoints; loaded with the first request. */
  readonly endpointFacts: () => Promise<EndpointFacts>;
  /** How the platform signs in by token; absent: it does not. */
  readonly tokens?: TokenSignIn | undefined;
  /** Reaches the hosts that have a zone. */
  readonly zones?: Zones | undefined;
}

/** A fleet and the time of its machines. */
export interface OwnFleet extends Fleet, Pick<Executor, 'exchange'> {
  readonly clock: Clock;
}

/** The machines of an inventory behind their two doors. Nothing is contacted before it is asked for. */
export async function createFleet(request: FleetRequest): Promise<OwnFleet> {
  const { inventory, secrets, zones } = request;
  const model = inventory.model === undefined ? undefined : await request.openSimulator(request);
  const clock = model?.clock ?? systemClock;
  const pool = createHostPool({
    ...request,
    clock,
    env: request.env ?? process.env,
    askBecomePassword: request.askBecomePassword === true,
  });
  let endpoints: Promise<Endpoints> | undefined;
  // The HTTP client is loaded with the first request.
  const overHttp = (): Promise<Endpoints> =>
    (endpoints ??= import('./http/endpoint-reader.js').then(async ({ createEndpoints }) =>
      createEndpoints({
        inventory,
        secrets,
        clock,
        facts: await request.endpointFacts(),
        tokens: request.tokens,
        cacheDir: request.cacheDir,
        tunnel: pool.tunnel,
        zones,
      }),
    ));

  const zoneOf = new Map(inventory.hosts.flatMap(({ name, zone }) => (zone === undefined ? [] : [[name, zone]])));
  /** What reaches a host, or an endpoint of the model; workers and the model meet the secrets of an action themselves. */
  function machineOf(on: Subject): Place | undefined {
    const zone = 'host' in on ? zoneOf.get(on.host) : undefined;
    if (zone !== undefined && zones !== undefined) return { machine: zones.executorOf(zone), meetsSecrets: true };
    if (model !== undefined && isModels(inventory, on))
      return { machine: model.machine, meetsSecrets: true, secretOf: nameOfSecret };
    const machine = 'host' in on ? pool.machineOf(on.host) : undefined;
    return machine && { machine, meetsSecrets: false, secretOf: (name) => valueOfSecret(secrets, name) };
  }

  async function askSubject(
    on: Subject,
    needs: readonly Need[],
    context?: ReadContext,
  ): Promise<ReadonlyMap<string, Answer>> {
    const place = machineOf(on);
    if (place === undefined && !('host' in on)) {
      const http = await overHttp();
      return new Map(await Promise.all(needs.map(async (n) => [refKey(n), await http.ask(n, context)] as const)));
    }
    const { secretOf } = place ?? {};
    const isOurs = ({ fact }: Need): boolean => fact === secret.name && secretOf !== undefined;
    const ofMachine = needs.filter((n) => !isOurs(n));
    const answers = new Map(ofMachine.length === 0 ? [] : await place?.machine.ask(ofMachine, context));
    for (const n of needs.filter(isOurs)) if (secretOf !== undefined) answers.set(refKey(n), await secretOf(n.key));
    return new Map(needs.map((n) => [refKey(n), answers.get(refKey(n)) ?? noHost(hostName(on))]));
  }

  const actor: Actor = {
    async perform(on, action, context) {
      if (action.do === 'request' && !(model !== undefined && isModels(inventory, on)))
        return (await overHttp()).perform(on, action, context);
      const place = machineOf(action.do === 'request' ? { controller: true } : on);
      if (place === undefined) return notHere(on, action.do);
      const met = place.meetsSecrets ? action : await withSecrets(action, secrets);
      return 'is' in met ? met : place.machine.perform(on, met, context);
    },
    async job(on, id) {
      return machineOf(on)?.machine.job(on, id) ?? { is: 'absent' };
    },
    async forgetJob(on, id) {
      await machineOf(on)?.machine.forgetJob(on, id);
    },
  };

  return {
    clock,
    reader: {
      async ask(needs, context) {
        const subjects = new Map<string, { readonly on: Subject; readonly needs: Need[] }>();
        for (const need of needs) {
          const subject = subjects.get(keyOf(need.of)) ?? { on: need.of, needs: [] };
          subject.needs.push(need);
          subjects.set(keyOf(need.of), subject);
        }
        const all = await Promise.all([...subjects.values()].map((s) => askSubject(s.on, s.needs, context)));
        return new Map(all.flatMap((answers) => [...answers]));
      },
    },
    actor,
    exchange: async (asked) => (await overHttp()).exchange(asked),
    async swap(host, file, expected, wanted, withMarker) {
      return machineOf({ host })?.machine.swap(host, file, expected, wanted, withMarker) ?? noHost(host);
    },
    stopWaiting() {
      pool.stopWaiting();
      zones?.stopWaiting();
    },
    async close() {
      await pool.close();
      await (await endpoints)?.close();
      await model?.machine.close();
      await zones?.close();
    },
  };
}

interface Place {
  readonly machine: Machine;
  readonly meetsSecrets: boolean;
  /** What an action writes for a secret there; absent: the machine itself is asked. */
  readonly secretOf?: (name: string) => Promise<Answer>;
}

/** The model has no secrets: its files hold their names. */
const nameOfSecret = (name: string): Promise<Answer> =>
  Promise.resolve({ is: 'value', value: showText({ $secret: name }) });

async function valueOfSecret(secrets: Secrets, name: string): Promise<Answer> {
  const got = await secrets.value(name);
  return got.is === 'value' ? got : failed('no-access', got.reason, got.hint);
}

/** Where hosts are the model's, so are the endpoints and the controller's downloads. */
function isModels(inventory: Inventory, on: Subject): boolean {
  if (!('host' in on)) return true;
  return inventory.hosts.find((h) => h.name === on.host)?.machine === 'model';
}

const noHost = (name: string): ReturnType<typeof failed> => failed('unreachable', `the inventory has no host ${name}`);
const notHere = (on: Subject, action: string): Outcome => ({
  is: 'refused',
  by: 'machine',
  found: `${keyOf(on)} does not perform "${action}"`,
});
