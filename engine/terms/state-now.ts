/** One component of one host, as the host itself answers now. */
export interface ComponentNow {
  readonly host: string;
  readonly component: string;
  /** Its package and its service. */
  readonly name: string;
  readonly unit: string;
  /** Of the installed package; null where none is installed. */
  readonly installed: string | null;
  /** dpkg's abbreviation: whether the package is whole. */
  readonly status: string;
  /** ActiveState of its service; undefined where it cannot be asked. */
  readonly active: string | undefined;
}

/** What runs where. */
export interface StateNow {
  readonly components: readonly ComponentNow[];
  /** Hosts that did not answer. */
  readonly away: readonly string[];
  /** The platform's own words about its state (`status` of platform.yaml); undefined where it does not answer. */
  readonly status: string | undefined;
  /** What waiting means, in its words too (`wait`). */
  readonly wait: readonly string[];
}
