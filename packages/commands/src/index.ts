export { isDisplayVariable } from "@haft/core/internal";
export { analyzeCommand, type AnalyzeOptions } from "./analyze.ts";
export { isNetworkAddress, type Rewrite, rewriteAddress } from "./git/git-address.ts";
export { entersGitFolder, type GitCall, type GitExchange, isGit, readGitCall } from "./git/git-call.ts";
export { type GitEntry, parseGitKey, readGitConfig } from "./git/git-config.ts";
export { hashBinding, programKey } from "./keys.ts";
export type {
  CommandTemplate,
  TemplateCommand,
  Fragment,
  Redirect,
  RedirectedFile,
} from "./command-template.ts";
export { quoteWord } from "./words/quote.ts";
export { rebuildCommand, type RebuiltCommand } from "./rebuild.ts";
export { findHaftDecision } from "./programs/haft/find-haft-decision.ts";
export { findLauncher } from "./programs/index.ts";
export type { ProgramLauncher } from "./programs/launcher.ts";
export { isKnownHarmless } from "./programs/known-harmless.ts";
export { resolveTemplate } from "./resolve.ts";
export { isMultiCallBinary } from "./words/multi-call-binaries.ts";
export type { ScriptContext } from "./read/script-context.ts";
export { COPY_PROGRAMS, fillsFolder } from "./file-writes/fills-folder.ts";
export { isReadOnlyCommand } from "./file-writes/is-read-only.ts";
export { listWrittenFiles, findWrittenProgram } from "./file-writes/find-written-program.ts";
export { baseName } from "./words/names.ts";
