// Internal entry: it can change with any version.
export { answerHook } from "../hook/hook-process.ts";
export { readInput } from "../hook/read-input.ts";
export { HOOK_DEPENDENCIES, type HookRun, listHookFolders, runHook } from "../hook/run-hook.ts";
