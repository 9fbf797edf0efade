import type { ToolHook } from "../contract/hooks.ts";
import { checkOption, checkOptions, invalidOption, type OptionChecks } from "./check-options.ts";

const HOOK: OptionChecks<ToolHook> = {
  name: "text",
  deadlineMs: "milliseconds",
  beforeToolCall: "function",
  transformResult: "function",
  afterToolCall: "function",
};

const FUNCTIONS = ["beforeToolCall", "transformResult", "afterToolCall"] as const;

/** A hook that is misspelt would hold nothing back. @throws HaftError `INVALID_OPTIONS` */
export function checkHooks(hooks: readonly ToolHook[] | undefined): void {
  if (hooks === undefined) return;
  if (!Array.isArray(hooks)) throw invalidOption("hooks is a list of hooks.");
  for (const [index, hook] of hooks.entries()) checkHook(`hooks: ${index}`, hook);
}

function checkHook(where: string, hook: ToolHook): void {
  if (isInstance(hook)) return checkMembers(where, hook);
  checkOptions(where, hook, HOOK);
  checkMembers(where, hook);
}

/** What is of a class has what else it needs. */
function isInstance(hook: unknown): boolean {
  if (typeof hook !== "object" || hook === null || Array.isArray(hook)) return false;
  const prototype: unknown = Object.getPrototypeOf(hook);
  return prototype !== null && prototype !== Object.prototype;
}

function checkMembers(where: string, hook: ToolHook): void {
  checkOption(`${where}: name`, hook.name, "text");
  const named = FUNCTIONS.filter((name) => hook[name] !== undefined);
  for (const name of named) checkOption(`${where}: ${name}`, hook[name], "function");
  if (named.length === 0)
    throw invalidOption(`${where} has none of ${FUNCTIONS.join(", ")}, so it does nothing.`);
}
