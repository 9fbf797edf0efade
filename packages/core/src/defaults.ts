// What holds where options do not say. Each is defined here once; `test/defaults.test.ts` compares the documents.

/** How long, and how much, is kept of sessions: days and bytes. */
export const DEFAULT_RETENTION = { days: 30, bytes: 500_000_000 };
/** Milliseconds a call waits for approval. */
export const DEFAULT_APPROVAL_MS = 30 * 60_000;
/** Milliseconds a plugin's factory may take. */
export const DEFAULT_FACTORY_MS = 10_000;
/** Milliseconds a tool has to stop after an abort. */
export const DEFAULT_ABORT_GRACE_MS = 2_000;
/** Milliseconds a hook has to answer. */
export const DEFAULT_HOOK_MS = 15_000;
