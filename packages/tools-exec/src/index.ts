export { createExecTools } from "./bound/exec-tools.ts";
export type { ExecTools, ExecToolsOptions } from "./bound/exec-tools.ts";
export { createBashTool } from "./bash/bash-tool.ts";
export { bashSchema } from "./bash/bash-schema.ts";
export type {
  BashEndedDetails,
  BashToolDetails,
  BashToolInput,
  BashToolOptions,
} from "./bash/bash-schema.ts";
export { createExecTool } from "./exec/exec-tool.ts";
export { execSchema } from "./exec/exec-schema.ts";
export type { ExecToolInput, ExecToolOptions } from "./exec/exec-schema.ts";
export type { ExecEndedDetails, ExecRunningDetails, ExecToolDetails } from "./exec/exec-result.ts";
export type { CommandNotice } from "./exec/notify-exit.ts";
export { createExecPlugin } from "./plugin.ts";
export type { ExecPluginOptions } from "./plugin.ts";
export { createProcessTool } from "./process/process-tool.ts";
export { processSchema } from "./process/process-schema.ts";
export type { ProcessToolInput, ProcessToolOptions } from "./process/process-schema.ts";
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
