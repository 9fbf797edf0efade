/** Applies to a read without a buffer. */
export const DEFAULT_MAX_READ_BYTES = 64 * 1024 * 1024;
export const DEFAULT_LIST_LIMIT = 10_000;
export const DEFAULT_MAX_RUNNING = 256;
export const MAX_TASKS = 4_096;
export const DEFAULT_KILL_GRACE_MS = 5_000;
export const DEFAULT_WRITE_WAIT_MS = 5_000;
export const DEFAULT_OUTPUT_READ_BYTES = 64 * 1024;
/** Added to the timeout of the call. */
export const DEFAULT_ANSWER_MS = 30_000;
/** Applies to a runner at the other end of a stream. */
export const DEFAULT_GREETING_MS = 15_000;
/** After this silence, a local runner counts as halted. A slow runner still sends something. */
export const DEFAULT_SILENT_MS = 5_000;
export const MAX_UPLOAD_BYTES = 256 * 1024 * 1024;
export const MAX_OUTPUT_READ_BYTES = 1024 * 1024;
/** Applies to bytes that a command has not read yet. */
export const MAX_QUEUED_BYTES = 1024 * 1024;
export const MAX_TIMER_MS = 2 ** 31 - 1;
