// `test/defaults.test.ts` compares these defaults with the documents.

/** Limits the stored sessions by age and size. */
export const DEFAULT_RETENTION = { days: 30, bytes: 500_000_000 };
/** Limits the wait for approval, in milliseconds. */
export const DEFAULT_APPROVAL_MS = 30 * 60_000;
/** Limits the run of a plugin's factory, in milliseconds. */
export const DEFAULT_FACTORY_MS = 10_000;
/** Milliseconds that a tool has to stop after an abort. */
export const DEFAULT_ABORT_GRACE_MS = 2_000;
/** Limits the run of a hook, in milliseconds. */
export const DEFAULT_HOOK_MS = 15_000;
