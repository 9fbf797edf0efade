export interface ProgramLauncher {
  /** Explains why trust in it covers everything. Has no full stop. */
  reason: string;
  /** The end of a sentence. Set if its arguments name what runs. */
  unclear?: string;
  /** Only the location of its files makes it unclear, and `sources` lists all. */
  tied?: true;
  scripts?: readonly string[];
  /** The first existing file of each group counts. */
  sources?: readonly (readonly string[])[];
}

/** `name` has no folder and version, `args` no name; `platform` is as in `process.platform`. */
export type LauncherRule = (
  name: string,
  args: readonly string[],
  platform?: string,
) => ProgramLauncher | undefined;

/** The arguments name what runs. */
export const opaque = (reason: string, unclear = reason): ProgramLauncher => ({ reason, unclear });
