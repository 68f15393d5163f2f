import type { EndpointFacts } from '../machines/endpoint-facts.js';
import type { Simulator } from '../machines/simulator.js';
import { modules as general } from '../modules/index.js';
import { securityMonitoring } from '../platforms/security-monitoring/platform.js';
import type { AnyModule } from '../terms/module.js';
import type { OwnPermissions } from '../terms/own-permissions.js';

/** What the engine knows of a platform beyond its platform.yaml. */
export interface PlatformCode {
  /** Beside the general ones. A module's argument types are forgotten here: its schema has checked them. */
  readonly modules: readonly unknown[];
  readonly endpointFacts: () => Promise<EndpointFacts>;
  readonly ownPermissions: readonly OwnPermissions[];
  readonly simulator: () => Promise<Simulator>;
}

/** The only list of platforms: nothing else imports from engine/platforms. */
export const platform: PlatformCode = securityMonitoring;

/** Modules by the key under which a step writes them. */
export const modules: ReadonlyMap<string, AnyModule> = new Map(
  ([...general, ...platform.modules] as readonly AnyModule[]).map((m) => [m.name, m]),
);
