export { createExecTools } from "./bound/exec-tools.ts";
export type { ExecTools, ExecToolsOptions } from "./bound/exec-tools.ts";
export { bashSchema, createBashTool } from "./bash/bash.ts";
export type { BashToolInput, BashToolOptions } from "./bash/bash.ts";
export type { BashEndedDetails, BashToolDetails } from "./bash/bash-steps.ts";
export { createExecTool, execSchema } from "./exec/exec.ts";
export type { ExecToolInput } from "./exec/exec.ts";
export type { ExecToolOptions } from "./exec/exec-types.ts";
export type { ExecEndedDetails, ExecRunningDetails, ExecToolDetails } from "./exec/exec-result.ts";
export type { CommandNotice } from "./exec/notify-exit.ts";
export { createExecPlugin } from "./plugin.ts";
export type { ExecPluginOptions } from "./plugin.ts";
export { createProcessTool, processSchema } from "./process/process.ts";
export type { ProcessToolInput, ProcessToolOptions } from "./process/process.ts";
export type {
  ListedSession,
  ProcessInputDetails,
  ProcessListDetails,
  ProcessLogDetails,
  ProcessPollDetails,
  ProcessSessionDetails,
  ProcessToolDetails,
} from "./process/process-details.ts";
export type { CommandEnd, CommandStatus, FailureKind } from "./sessions/describe-end.ts";
export { endCommands } from "./sessions/session-book.ts";
