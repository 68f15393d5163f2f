/** First words of names that are known of the components of the host at hand: `installed.nginx`. */
export const COMPONENT_ROOTS: readonly string[] = ['installed', 'next', 'previous', 'needs_restart', 'staged'];
