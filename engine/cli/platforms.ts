import type { HostFact } from '../facts/kind.js';
import { addModuleSchemas, hasSchema, keepModules, type ModuleSchema } from '../language/module-schemas.js';
import type { EndpointFacts } from '../machines/http/endpoint-facts.js';
import type { TokenSignIn } from '../machines/http/token-sign-in.js';
import type { Simulator } from '../machines/simulator.js';
import { modules as general } from '../modules/index.js';
import { securityMonitoring } from '../platforms/security-monitoring/platform.js';
import type { AnyModule } from '../terms/module.js';
import type { OwnPermissions } from '../terms/own-permissions.js';
import { useOffers } from './platform-offers.js';

/** What the engine knows of a platform beyond its platform.yaml. */
export interface PlatformCode {
  /** Beside the general ones. A module's argument types are forgotten here: its schema has checked them. */
  readonly modules: readonly unknown[];
  /** What the schema.ts of a module exports, by the module's name: of modules whose validators the build does not compile. */
  readonly schemas?: Readonly<Record<string, ModuleSchema>>;
  /** What its modules ask of hosts beside the general facts. */
  readonly hostFacts?: readonly HostFact[];
  /** What they ask of endpoints beside `http`: the names, known before it is loaded. */
  readonly endpointFactNames: readonly string[];
  /** The same facts; loaded with the first request. */
  readonly endpointFacts: () => Promise<EndpointFacts>;
  /** How endpoints with `auth: token` sign in; absent: no inventory may have one. */
  readonly tokens?: TokenSignIn;
  readonly ownPermissions: readonly OwnPermissions[];
  readonly simulator: () => Promise<Simulator>;
}

/** The only list of platforms: nothing else imports from engine/platforms. */
export let platform: PlatformCode = securityMonitoring;

/** Modules by the key under which a step writes them. */
export let modules: ReadonlyMap<string, AnyModule> = byName(platform);

/**
 * Makes the program one for another platform, before anything is loaded: what a program of one's own (tests/platforms has one) does
 * first. Rejects when a module or a fact of hosts has the name of another one, or a module has no schema.
 */
export async function usePlatform(code: PlatformCode): Promise<void> {
  const { modules: own, schemas = {}, hostFacts = [] } = code;
  const namesOf = (some: readonly unknown[]): readonly string[] => (some as readonly AnyModule[]).map((m) => m.name);
  const names = namesOf(own);
  const taken = [...namesOf(general), ...names].find((name, i, all) => all.indexOf(name) !== i);
  if (taken !== undefined) throw new Error(`two modules are named ${taken}`);
  const { hostFacts: everywhere } = await import('../facts/host-facts.js');
  const facts = hostFacts.map(({ name }) => name);
  const same = facts.find((name, i) => everywhere.has(name) || facts.indexOf(name) !== i);
  if (same !== undefined) throw new Error(`two facts of hosts are named ${same}`);
  const missing = names.filter((name) => !hasSchema(name));
  const bare = missing.find((name) => schemas[name] === undefined);
  if (bare !== undefined) throw new Error(`the module ${bare} has no schema`);
  if (missing.length > 0) await addModuleSchemas(pick(schemas, missing));
  keepModules(new Set([...namesOf(general), ...names]));
  useOffers({ tokenSignIn: code.tokens !== undefined, endpointFacts: code.endpointFactNames });
  platform = code;
  modules = byName(code);
}

const pick = <V>(all: Readonly<Record<string, V>>, names: readonly string[]): Readonly<Record<string, V>> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));

function byName({ modules: own }: PlatformCode): ReadonlyMap<string, AnyModule> {
  return new Map([...(general as readonly AnyModule[]), ...(own as readonly AnyModule[])].map((m) => [m.name, m]));
}
