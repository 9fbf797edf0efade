// Defines each default of a configuration once; `test/defaults.test.ts` compares the documents.

/** Address of `haft serve --http`. */
export const DEFAULT_ADDRESS = "127.0.0.1";
export const DEFAULT_PORT = 7310;
/** Bytes of one file of an audit log. */
export const DEFAULT_AUDIT_BYTES = 10_000_000;
/** Number of old files of an audit log. */
export const DEFAULT_AUDIT_FILES = 5;
/** Milliseconds that loading a plugin, or a configuration that is code, may take. */
export const LOADING_MS = 10_000;
