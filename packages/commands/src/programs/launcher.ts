/** A program that runs others, or code, as its arguments or the files around it say. */
export interface ProgramLauncher {
  /** Why trusting it is trusting anything, as a sentence without its full stop. */
  reason: string;
  /** Set when the arguments themselves name what runs: why that is not certain, as the rest of a sentence. */
  unclear?: string;
  /** What makes it unclear is only where its files are, and those are all among its `sources`. */
  tied?: true;
  /** Words that name files it executes. */
  scripts?: readonly string[];
  /** Files that it would look for, in groups: of each it takes the first that is there. */
  sources?: readonly (readonly string[])[];
}

/**
 * What a table entry knows of a program: `name` without folder and version, `args` without it, and the system it is one
 * of, as `process.platform` has it.
 */
export type LauncherRule = (
  name: string,
  args: readonly string[],
  platform?: string,
) => ProgramLauncher | undefined;

/** Its arguments name what runs. */
export const opaque = (reason: string, unclear = reason): ProgramLauncher => ({ reason, unclear });
