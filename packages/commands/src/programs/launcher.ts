/** Describes a program that runs other programs or code, depending on its arguments or on files. */
export interface ProgramLauncher {
  /** Explains why trust in it covers everything, as a sentence without a full stop. */
  reason: string;
  /** Explains why it is uncertain what runs, as the end of a sentence. Set if its arguments name what runs. */
  unclear?: string;
  /** Set if only the location of its files makes it unclear, and `sources` lists all of them. */
  tied?: true;
  /** Lists the words that name files it executes. */
  scripts?: readonly string[];
  /** Lists the files that it would search for, in groups: the first existing file of each group counts. */
  sources?: readonly (readonly string[])[];
}

/** Describes a program in a table: `name` without folder and version, `args` without the name, and the system as in `process.platform`. */
export type LauncherRule = (
  name: string,
  args: readonly string[],
  platform?: string,
) => ProgramLauncher | undefined;

/** Describes a program whose arguments name what runs. */
export const opaque = (reason: string, unclear = reason): ProgramLauncher => ({ reason, unclear });
