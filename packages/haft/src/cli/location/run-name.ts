/** Matches `last`, an id, or the start of an id. All ids start with `0` until the year 2059. */
export const RUN_NAME_PATTERN = /^(?:last|0[0-9a-z]{3,17})$/i;
