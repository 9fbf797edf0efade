import type { Logger } from "@haft/core";
import type { ProcessRecords } from "@haft/workspace/internal/wire";
import type { ProtectedPath } from "../backend.ts";

/**
 * Configures `openSandbox`.
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
  /** Lists globs that file operations refuse, in addition to credentials. Commands are not affected. */
  deny?: readonly string[];
  /** Lists globs that file operations do not change. Default: the content of `.git`. */
  readOnly?: readonly string[];
  /** Globs of settings that start programs; changes need a workspace from `withConsent`. Default: as on the host; `[]` for none. */
  projectSettings?: readonly string[];
  /** Returns protected paths in writable mounts, at each opening. */
  protectedPaths?: () => readonly ProtectedPath[];
  /** Names variables that commands may get although they are refused by default. */
  allowVariables?: readonly string[];
  /** Sets the shell for scripts, unless the caller names another. Default `sh`. */
  shell?: string;
  /** Limits concurrent processes. Default 256. */
  maxRunning?: number;
  /** Limits one answer from inside, in milliseconds. Default 30,000. After that, the sandbox counts as lost. */
  answerMs?: number;
  /** Lists local hosts and addresses that tools may reach, as in `createHostNetwork`. Default: none. Applies if the network is `full`. */
  allowPrivate?: readonly string[];
  /** Stores processes, so that a restarted host finds them. */
  records?: ProcessRecords;
  /** Receives warnings about lost sandboxes and records. */
  logger?: Pick<Logger, "warn">;
  /** Cancels the opening. */
  signal?: AbortSignal;
}
