// Programs and processes, for programs that depend on nothing but Node.
export { attempt } from "../attempt.ts";
export {
  isAlive,
  type ProcessEntry,
  type ProcessIdentity,
  readProcess,
} from "../processes/process-identity.ts";
export {
  findProcess,
  MARKER_FD,
  MARKER_VARIABLE,
  readProcessMarkers,
  scanProcesses,
} from "../processes/process-scan.ts";
export {
  findHostProgram,
  formatMissingProgram,
  type FoundProgram,
  isExecutable,
  isForeignTarget,
  requireUnchangedProgram,
  trustForeignTarget,
  usePrograms,
} from "../programs/host-program.ts";
export { runProgram, runProgramSync, startProgram } from "../programs/start-program.ts";
export { RunnerError, runnerErrno } from "../runner-error.ts";
export { uptimeMs } from "../uptime.ts";
