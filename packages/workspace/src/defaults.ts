/** Bytes of one read that brings no buffer. */
export const DEFAULT_MAX_READ_BYTES = 64 * 1024 * 1024;
/** Names in one listing. */
export const DEFAULT_LIST_LIMIT = 10_000;
/** Processes of a session that run at the same time. */
export const DEFAULT_MAX_RUNNING = 256;
/** Processes and threads of all commands of a session. */
export const MAX_TASKS = 4_096;
/** Milliseconds between TERM and KILL. */
export const DEFAULT_KILL_GRACE_MS = 5_000;
/** Milliseconds that a write waits for room in the input of a command. */
export const DEFAULT_WRITE_WAIT_MS = 5_000;
/** Bytes of one read of output. */
export const DEFAULT_OUTPUT_READ_BYTES = 64 * 1024;
/** Milliseconds that a runner has for one answer, beside what the call itself waits for. */
export const DEFAULT_ANSWER_MS = 30_000;
/** Milliseconds that a runner at the other end of a stream has to greet. */
export const DEFAULT_GREETING_MS = 15_000;
/** Milliseconds without a sign of life of a runner on this machine: a slow program still says something, a halted one does not. */
export const DEFAULT_SILENT_MS = 5_000;
/** Bytes of what a runner collects of one request before it acts. */
export const MAX_UPLOAD_BYTES = 256 * 1024 * 1024;
/** Bytes of one read of output, whatever is asked for. */
export const MAX_OUTPUT_READ_BYTES = 1024 * 1024;
/** Bytes that wait for a command to read them. */
export const MAX_QUEUED_BYTES = 1024 * 1024;
/** Milliseconds of the longest timer of Node. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
