import type { Logger } from "@haft/core";
import type { ProcessRecords } from "@haft/workspace/internal/wire";
import type { ProtectedPath } from "../backend.ts";

/**
 * Options of `openSandbox`, in addition to the specification.
 *
 * @example
 * ```ts
 * import type { OpenSandboxOptions } from "@haft/sandbox";
 * const options: OpenSandboxOptions = {
 *   deny: ["*.key"],
 *   allowVariables: ["KUBECONFIG"],
 *   shell: "bash",
 *   signal: AbortSignal.timeout(60_000),
 * };
 * ```
 */
export interface OpenSandboxOptions {
  /** Globs of paths that file operations refuse, in addition to those for credentials. They do not bind commands inside. */
  deny?: readonly string[];
  /** Globs of paths that file operations do not change. Default: the content of `.git`. */
  readOnly?: readonly string[];
  /**
   * Globs of project settings that start programs: file operations change one only in a workspace from `withConsent`. Default:
   * the same as on the host; `[]` for none.
   */
  projectSettings?: readonly string[];
  /** Returns the paths in writable mounts that commands cannot change. It is called at each opening. */
  protectedPaths?: () => readonly ProtectedPath[];
  /** Names of variables that callers may set for a command although they are refused by default. */
  allowVariables?: readonly string[];
  /** Shell for scripts, unless the caller names one. Default `sh`. */
  shell?: string;
  /** Maximum number of concurrent processes. Default 256. */
  maxRunning?: number;
  /** Milliseconds for one answer from inside. Default 30,000. Then the sandbox counts as lost. */
  answerMs?: number;
  /**
   * Hosts and addresses that tools may reach although they belong to a local network or to the machine they connect from, as in
   * `createHostNetwork`. Default: none. For a sandbox whose network is `full`.
   */
  allowPrivate?: readonly string[];
  /** Stores processes, so that a restarted host finds them. */
  records?: ProcessRecords;
  /** Receives warnings about lost sandboxes, and about records that cannot be stored. */
  logger?: Pick<Logger, "warn">;
  /** Cancels the opening. */
  signal?: AbortSignal;
}
