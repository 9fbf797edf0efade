import type { ExemptionRequest } from "../plan/containment-exemption.ts";
import type { HostRequest, PolicyRequest } from "../plan/refuse-request.ts";
import type { CommandNotice } from "./notify-exit.ts";

/**
 * Configures {@link createExecTool}.
 *
 * @example
 * ```ts
 * import type { ExecToolOptions } from "@haft/tools-exec";
 * const options: ExecToolOptions = {
 *   backgroundMs: "never",
 *   allowBackground: false,
 *   timeoutSec: 120,
 *   onExit: ({ name, status }) => console.log(name, status),
 * };
 * ```
 */
export interface ExecToolOptions {
  /** Milliseconds that a call waits by default; 10,000 by default, limited to 10–120,000. `never`: a call waits for the end. */
  backgroundMs?: number | "never";
  /** Maximum wait of a call in milliseconds. Default 120,000, which is the maximum. */
  longestWaitMs?: number;
  /**
   * The shell of commands. `bash` (default): bash without its start files, else `sh`, with a line in the result. `sh`: always `sh`.
   * `workspace`: the default shell of the workspace; the command is parsed as `sh`, and no result names the shell.
   */
  shell?: "bash" | "sh" | "workspace";
  /** `false` without a `process` tool: every call then waits for the end. */
  allowBackground?: boolean;
  /** Seconds that a command may run by default; 1,800 by default, 0 for no limit. */
  timeoutSec?: number;
  /** Key of the owner. Default: the key of the calling session. `process` needs the same. */
  scopeKey?: string;
  /** Receives each end of a background command once, unless the model knows it. */
  onExit?: (notice: CommandNotice) => void;
  /** Whether `onExit` also receives commands that succeeded without output. Default `false`. */
  notifyOnExitEmptySuccess?: boolean;
}

export interface ExecArguments extends HostRequest, PolicyRequest, ExemptionRequest {
  command: string;
  workdir?: string;
  env?: Readonly<Record<string, string>>;
  yieldMs?: number;
  background?: boolean;
  timeoutSeconds?: number;
  pty?: boolean;
  title?: string;
}
