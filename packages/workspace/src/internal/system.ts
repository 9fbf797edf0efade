export { SETTINGS_OF_OTHER_SYSTEMS } from "../boundary/start-files.ts";
export { builtFile } from "../system/built-file.ts";
export { attempt } from "../system/attempt.ts";
export { type ExaminedProgram, examineProgram } from "../system/examine-program.ts";
export { findGitPrograms, type GitPrograms, type GitRepository } from "../git-programs/find-git-programs.ts";
export { addHostGuards, hostGuards, type HostGuards } from "../system/host-guards.ts";
export {
  findHostProgram,
  hostProgram,
  formatMissingProgram,
  runningNode,
  requireUnchangedProgram,
} from "../system/host-program.ts";
export type { FoundProgram, HostProgram, ProgramLocation } from "../system/host-program.ts";
export { hostProgramError } from "../system/host-program-error.ts";
export { makePrivateFolder } from "../system/make-private-folder.ts";
export { PrivateFolder, type PrivateText } from "../system/private-folder.ts";
export {
  IrregularFileError,
  type IrregularFileReason,
  openRegularFile,
  readRegularFile,
  type RegularFileOptions,
} from "../system/read-regular-file.ts";
export {
  bootId,
  getOwnerStatus,
  readProcessIdentity,
  isAlive,
  readProcess,
  getCurrentOwner,
  getCurrentProcess,
} from "../system/processes/process-identity.ts";
export { HAS_PROC } from "../system/processes/process-identity.ts";
export type {
  ReadProcess,
  Owner,
  ProcessIdentity,
  ProcessEntry,
} from "../system/processes/process-identity.ts";
export { copyFileAccess, replaceFile, type ReplaceFileOptions } from "../system/access/replace-file.ts";
export { scanProcesses } from "../system/processes/process-scan.ts";
export { type ProcessUsage, readTreeUsage } from "../system/processes/process-usage.ts";
export { isWithin } from "../system/is-within.ts";
export { safePath } from "../system/examine-program.ts";
export { addSessionRoot, findSessionRoot } from "../system/session-roots.ts";
export { type Environment, runProgram, runProgramSync, startProgram } from "../system/start-program.ts";
export { recordEndedWriter, temporaryName } from "../system/temporary-name.ts";
export { systemReason } from "../system-reason.ts";
export { uptimeMs } from "../fence/remote-clock.ts";
