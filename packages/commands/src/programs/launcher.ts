export interface ProgramLauncher {
  /** Explains why trust in it covers everything. Has no full stop. */
  reason: string;
  /** The end of a sentence. Set if its arguments name what runs. */
  unclear?: string;
  /** Only the location of its files makes it unclear, and `sources` lists all. */
  tied?: true;
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
