export { type Comparison, compareAttributes, copyAttributes } from "./access/compare-attributes.ts";
export { grantAccess } from "./access/grant-access.ts";
export { copyFileAccess, replaceFile } from "./access/replace-file.ts";
export { attempt } from "./attempt.ts";
export { makePrivateFolder } from "./files/make-private-folder.ts";
export { PrivateFolder, type PrivateText } from "./files/private-folder.ts";
export { IrregularFileError, openRegularFile, readRegularFile } from "./files/read-regular-file.ts";
export { readText } from "./files/read-text.ts";
export { writeAtomically } from "./files/write-atomically.ts";
export { isEndedWriter, parseWriter, recordEndedWriter, temporaryName } from "./files/temporary-name.ts";
export { isWithin } from "./is-within.ts";
export { isWithinAny, removeNestedPaths } from "./remove-nested-paths.ts";
export {
  HAS_PROC,
  type Owner,
  type ProcessEntry,
  type ProcessIdentity,
  bootId,
  getCurrentOwner,
  getCurrentProcess,
  getOwnerStatus,
  isAlive,
  readProcess,
  readProcessIdentity,
} from "./processes/process-identity.ts";
export {
  MARKER_FD,
  MARKER_VARIABLE,
  findProcess,
  readProcessMarkers,
  scanProcesses,
} from "./processes/process-scan.ts";
export { type ProcessUsage, readTreeUsage } from "./processes/process-usage.ts";
export { builtFile } from "./programs/built-file.ts";
export { type ExaminedProgram, examineProgram, safePath } from "./programs/examine-program.ts";
export { hostProgramError } from "./programs/host-program-error.ts";
export {
  type FoundProgram,
  type HostProgram,
  type ProgramLocation,
  findHostProgram,
  formatMissingProgram,
  hostProgram,
  isExecutable,
  isForeignTarget,
  requireUnchangedProgram,
  runningNode,
  trustForeignTarget,
  usePrograms,
} from "./programs/host-program.ts";
export { addSessionRoot, findSessionRoot } from "./programs/session-roots.ts";
export { type Environment, runProgram, runProgramSync, startProgram } from "./programs/start-program.ts";
export { RUNNER_ERROR_CODES, RunnerError, type RunnerErrorCode, runnerErrno } from "./runner-error.ts";
export { systemReason } from "./system-reason.ts";
export { uptimeMs } from "./uptime.ts";
