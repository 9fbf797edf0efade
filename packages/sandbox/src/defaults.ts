export const OFFERED_LIMITS = { memoryMb: 1024, tasks: 512, cpus: 0, fileMb: 1024, tmpMb: 256 } as const;
/** One hour without use, seven days in total. */
export const DETACHED_LIFETIME = { idleMs: 60 * 60_000, maxAgeMs: 7 * 24 * 60 * 60_000 } as const;
export const DEFAULT_TMP_MB = 1024;
/** Until the first message of a runner. */
export const START_MS = 30_000;
/** Until the first message of a runner in a running container. */
export const DOCKER_START_MS = 15_000;
/** For one answer of the Engine. */
export const DOCKER_ANSWER_MS = 15_000;
export const SETUP_MS = 600_000;
/** For the cleanup after a close. */
export const END_MS = 5_000;
/** Remains of an unreachable host then count as abandoned. */
export const ABANDONED_MS = 30 * 24 * 60 * 60_000;
export const MAX_STDERR = 4000;
