/** What the code of a platform has, as far as its files may name it. */
export interface PlatformOffers {
  /** Without one, an endpoint with `auth: token` is a mistake. */
  readonly tokenSignIn: boolean;
  /** Names of the facts of endpoints that its modules ask for. */
  readonly endpointFacts: readonly string[];
}
