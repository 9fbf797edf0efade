import type { Logger } from "@haft/core";
import type { ProcessRecords } from "@haft/workspace";
import type { ProtectedPath } from "../backend.ts";

/** How a sandbox is used, beside what its specification says. */
export interface OpenSandboxOptions {
  /** Globs of paths the file operations refuse, beside those for credentials; commands inside are not bound by them. */
  deny?: readonly string[];
  /** Globs of paths the file operations do not change; what `.git` holds by default. */
  readOnly?: readonly string[];
  /**
   * Globs of settings in a project that start programs: the file operations change one only in a workspace from
   * `withConsent`. The same as on the host by default; `[]` for none.
   */
  projectSettings?: readonly string[];
  /** What commands are to be kept from changing in folders that are mounted for writing. Asked at each opening. */
  protectedPaths?: () => readonly ProtectedPath[];
  /** Names of variables that callers may set for a command although they are refused by default. */
  allowVariables?: readonly string[];
  /** Which shell runs scripts, unless the caller names one; `sh` by default. */
  shell?: string;
  /** Processes that may run at the same time, 256 by default. */
  maxRunning?: number;
  /** Time for one answer from inside, in milliseconds; 30,000 by default. After it the sandbox counts as lost. */
  answerMs?: number;
  /**
   * Hosts and addresses that tools reach although they are of a local network, or of the machine they connect from: as of
   * `createHostNetwork`. Default: none. For a sandbox whose network is `full`.
   */
  allowPrivate?: readonly string[];
  /** Remembers processes across restarts of the host. */
  records?: ProcessRecords;
  /** Told of a sandbox that is lost, and of records that cannot be kept. */
  logger?: Pick<Logger, "warn">;
  /** Cancels the opening. */
  signal?: AbortSignal;
}
