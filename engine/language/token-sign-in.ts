let offered = true;

/** Whether the platform in use has a sign-in by token: without one, an endpoint with `auth: token` is a mistake. */
export const hasTokenSignIn = (): boolean => offered;

/** Said once, before anything is loaded. */
export const withoutTokenSignIn = (): void => {
  offered = false;
};
