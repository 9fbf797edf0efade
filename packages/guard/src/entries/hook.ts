export { answerHook } from "../hook/answer-hook.ts";
export { readInput } from "../hook/read-input.ts";
export { type HookRun, runHook } from "../hook/run-hook.ts";
