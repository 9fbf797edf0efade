// `test/defaults.test.ts` compares these with the documents.

/** Open sessions per token. */
export const DEFAULT_SESSIONS = 64;
/** Minutes until an unused session is closed. */
export const DEFAULT_IDLE_MINUTES = 240;
