/** A program that runs other programs or code, depending on its arguments or on files. */
export interface ProgramLauncher {
  /** Why trust in it covers everything, as a sentence without its full stop. */
  reason: string;
  /** Why it is uncertain what runs, as the end of a sentence. Set if its arguments name what runs. */
  unclear?: string;
  /** Set if only the location of its files makes it unclear, and `sources` lists all of them. */
  tied?: true;
  /** The words that name files it executes. */
  scripts?: readonly string[];
  /** The files that it would search for, in groups: of each group it takes the first that exists. */
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
