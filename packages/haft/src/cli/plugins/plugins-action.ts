import type { SessionValues } from "../session-arguments.ts";

/** What stands behind `haft plugins ACTION`. */
export interface PluginsValues extends SessionValues {
  project?: boolean;
  "allow-scripts"?: boolean;
  "dry-run"?: boolean;
  write?: boolean;
  check?: boolean;
  seed?: string;
  runs?: string;
  json?: boolean;
}

/** Resolves to the exit code. */
export type PluginsAction = (words: readonly string[], values: PluginsValues) => Promise<number>;
