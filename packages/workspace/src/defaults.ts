/** Limits one read without a buffer, in bytes. */
export const DEFAULT_MAX_READ_BYTES = 64 * 1024 * 1024;
/** Limits one listing, in names. */
export const DEFAULT_LIST_LIMIT = 10_000;
/** Limits the running processes of a session. */
export const DEFAULT_MAX_RUNNING = 256;
/** Limits the processes and threads of all commands of a session. */
export const MAX_TASKS = 4_096;
/** Milliseconds between TERM and KILL. */
export const DEFAULT_KILL_GRACE_MS = 5_000;
/** Milliseconds that a write waits for room in the input of a command. */
export const DEFAULT_WRITE_WAIT_MS = 5_000;
/** Limits one read of output, in bytes. */
export const DEFAULT_OUTPUT_READ_BYTES = 64 * 1024;
/** Milliseconds that a runner has for one answer, in addition to the timeout of the call. */
export const DEFAULT_ANSWER_MS = 30_000;
/** Milliseconds that a runner at the other end of a stream has to send its greeting. */
export const DEFAULT_GREETING_MS = 15_000;
/** Milliseconds of silence after which a local runner counts as halted. A slow runner still sends something. */
export const DEFAULT_SILENT_MS = 5_000;
/** Limits the bytes that a runner collects for one request before it acts. */
export const MAX_UPLOAD_BYTES = 256 * 1024 * 1024;
/** Limits one read of output, in bytes, whatever the caller requests. */
export const MAX_OUTPUT_READ_BYTES = 1024 * 1024;
/** Limits the bytes that wait for a command to read them. */
export const MAX_QUEUED_BYTES = 1024 * 1024;
/** Longest timer of Node, in milliseconds. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
