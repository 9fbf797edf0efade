// `test/defaults.test.ts` compares the defaults with the documents.

/** Address of `haft serve --http`. */
export const DEFAULT_ADDRESS = "127.0.0.1";
export const DEFAULT_PORT = 7310;
/** Bytes of one file. */
export const DEFAULT_AUDIT_BYTES = 10_000_000;
/** Number of old files. */
export const DEFAULT_AUDIT_FILES = 5;
/** Limits loading of a plugin, or of a configuration that is code. */
export const LOADING_MS = 10_000;
