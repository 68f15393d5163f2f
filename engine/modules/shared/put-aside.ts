/** Where a package manager leaves its new defaults for a configuration file that it keeps. */
export const NEW_DEFAULTS = ['.dpkg-dist', '.rpmnew'] as const;
/** Where it moves the operator's file that it replaced. */
export const REPLACED = ['.dpkg-old', '.rpmsave'] as const;
