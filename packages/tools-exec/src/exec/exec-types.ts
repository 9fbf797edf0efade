import type { ExemptionRequest } from "../plan/containment-exemption.ts";
import type { HostRequest, PolicyRequest } from "../plan/refuse-request.ts";
import type { CommandNotice } from "./notify-exit.ts";

/** Options of the `exec` tool. */
export interface ExecToolOptions {
  /** Milliseconds a call waits when it does not say; 10,000 by default, clamped to 10–120,000. `never`: it waits to the end. */
  backgroundMs?: number | "never";
  /** Milliseconds a call waits at most, whatever it or `backgroundMs` says; 120,000 by default, which is the most there is. */
  longestWaitMs?: number;
  /**
   * The shell commands run in. `bash`, by default: bash where there is one, without its start files, and else `sh`, with a
   * line in the answer. `sh`: always that. `workspace`: the one that runs scripts there when nobody names one; it is read as
   * `sh`, and no answer says which it is.
   */
  shell?: "bash" | "sh" | "workspace";
  /** `false` where there is no `process` tool: every call then waits to the end. */
  allowBackground?: boolean;
  /** Seconds a command may run when the call does not say; 1,800 by default, 0 = no limit. */
  timeoutSec?: number;
  /** Whose commands these are; those of the calling session by default. The same for `process`. */
  scopeKey?: string;
  /** Told once of each background command that ends, unless the model already knows. */
  onExit?: (notice: CommandNotice) => void;
  /** Tell `onExit` also of commands that succeeded without any output; `false` by default. */
  notifyOnExitEmptySuccess?: boolean;
}

/** Arguments of a call, as its steps take them. */
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
