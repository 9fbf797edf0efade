// What holds where a configuration does not say. Each is defined here once; `test/defaults.test.ts` compares the documents.

/** Where `haft serve --http` listens. */
export const DEFAULT_ADDRESS = "127.0.0.1";
export const DEFAULT_PORT = 7310;
/** Bytes of one file of an audit log. */
export const DEFAULT_AUDIT_BYTES = 10_000_000;
/** Old files of an audit log that are kept. */
export const DEFAULT_AUDIT_FILES = 5;
/** Milliseconds that loading a plugin, or a configuration that is code, may take. */
export const LOADING_MS = 10_000;
