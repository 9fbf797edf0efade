export { SETTINGS_OF_OTHER_SYSTEMS } from "../boundary/start-files.ts";
export { builtFile } from "../system/built-file.ts";
export { attempt } from "../system/attempt.ts";
export { type Examined, examineProgram } from "../system/examine-program.ts";
export { findGitPrograms, type GitPrograms, type GitRepository } from "../git-programs/find-git-programs.ts";
export { addHostGuards, hostGuards, type HostGuards } from "../system/host-guards.ts";
export {
  findHostProgram,
  hostProgram,
  missingProgram,
  runningNode,
  unchanged,
} from "../system/host-program.ts";
export type { FoundProgram, HostProgram, ProgramPlace } from "../system/host-program.ts";
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
  fateOf,
  processIdentityOf,
  isAlive,
  readProcess,
  thisOwner,
  thisProcess,
} from "../system/processes/process-identity.ts";
export { HAS_PROC } from "../system/processes/process-identity.ts";
export type {
  LookAtProcess,
  Owner,
  ProcessIdentity,
  SeenProcess,
} from "../system/processes/process-identity.ts";
export { keepAccess, replaceFile, type ReplaceFileOptions } from "../system/access/replace-file.ts";
export { scanProcesses } from "../system/processes/process-scan.ts";
export { type ProcessUse, useOfTree } from "../system/processes/process-use.ts";
export { isWithin } from "../system/is-within.ts";
export { safePath } from "../system/examine-program.ts";
export { addSessionRoot, sessionRootOf } from "../system/session-roots.ts";
export { type Environment, runProgram, runProgramSync, startProgram } from "../system/start-program.ts";
export { noteGone, temporaryName } from "../system/temporary-name.ts";
export { systemReason } from "../system-reason.ts";
export { uptimeMs } from "../fence/their-clock.ts";
