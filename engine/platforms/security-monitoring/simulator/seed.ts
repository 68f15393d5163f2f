/** The part of an inventory that the model gets: a subset of the engine's type, so that the two are compatible. */
export interface ModelInventory {
  readonly platform: Readonly<Record<string, unknown>>;
  readonly names: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly hosts: readonly {
    readonly name: string;
    readonly address: string;
    readonly roles: readonly string[];
    readonly vars?: Readonly<Record<string, unknown>>;
  }[];
  readonly endpoints: Readonly<
    Record<
      string,
      { readonly urls: readonly { readonly url: string; readonly host?: string }[]; readonly user?: string }
    >
  >;
}

export interface ModelSeed {
  /** The release that everything is at: `4.12.0`. */
  readonly from: string;
  readonly inventory: ModelInventory;
  /** Hosts that are at another release, by name. */
  readonly at?: Readonly<Record<string, string>>;
  /** Roles of indexer nodes that have not all of them, by host. */
  readonly nodeRoles?: Readonly<Record<string, readonly string[]>>;
  /** From this release on the dashboard has a newer form of saved objects, and migrates the older one at its start. */
  readonly newFormFrom?: string;
  /** Replicas that each index wants; absent: as many as have a node, one at most. */
  readonly replicas?: number;
  /** Over the inventory's own names. */
  readonly names?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What is taken; absent takes any. */
  readonly passwords?: { readonly api?: string; readonly indexer?: string };
  /** Agents that are no hosts of the inventory, signed in over the API. */
  readonly remoteAgents?: readonly { readonly name: string; readonly version: string }[];
  /** Hosts whose packages are RPMs; all others' are DEBs. */
  readonly rpmHosts?: readonly string[];
  /** Versions that the repository has besides `from` and the target. */
  readonly offers?: readonly string[];
  /** Virtual time at the start, milliseconds since the epoch. */
  readonly startMs?: number;
}
