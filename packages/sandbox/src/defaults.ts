/** Of commands in a workspace that is offered to other machines. */
export const OFFERED_LIMITS = { memoryMb: 1024, tasks: 512, cpus: 0, fileMb: 1024, tmpMb: 256 } as const;
/** Of the /tmp of contained commands. */
export const DEFAULT_TMP_MB = 1024;
/** Milliseconds a runner has to say something. */
export const START_MS = 30_000;
/** The same in a container that is there. */
export const DOCKER_START_MS = 15_000;
/** Milliseconds the Engine has for one answer. */
export const DOCKER_ANSWER_MS = 15_000;
/** Milliseconds a setup script has in a container. */
export const SETUP_MS = 600_000;
/** Milliseconds what is closed has to clear up. */
export const END_MS = 5_000;
/** After these milliseconds, what a host left belongs to nobody, if the host cannot be asked. */
export const ABANDONED_MS = 30 * 24 * 60 * 60_000;
/** Characters kept of the errors of a runner. */
export const MAX_STDERR = 4000;
