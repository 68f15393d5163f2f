declare const RUNBOOK_VERSION: string;

/** Of the built program; the build puts it in. */
export const VERSION = typeof RUNBOOK_VERSION === 'string' ? RUNBOOK_VERSION : 'unbuilt';
