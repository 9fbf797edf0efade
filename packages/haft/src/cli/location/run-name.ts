/** Matches `last`, or an id's start: `0` until 2059. */
export const RUN_NAME_PATTERN = /^(?:last|0[0-9a-z]{3,17})$/i;
