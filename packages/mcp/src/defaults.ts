// What holds where options do not say. Each is defined here once; `test/defaults.test.ts` compares the documents.

/** Sessions of one token that may be open. */
export const DEFAULT_SESSIONS = 64;
/** Minutes after which a session that nobody uses is closed. */
export const DEFAULT_IDLE_MINUTES = 240;
