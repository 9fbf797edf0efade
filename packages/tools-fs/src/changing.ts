import { lazily } from "./lazily.ts";

/**
 * The work of the tools that change files, loaded with the first call of any of them: all wait for the same, so that
 * none overtakes a call of another one to the same file.
 */
export const changing = lazily(() => import("./changes/run-tools.ts"));
