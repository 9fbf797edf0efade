import type { ToolHook } from "../contract/hooks.ts";
import {
  checkOptions,
  invalidOptions,
  type OptionSchemas,
  optionsSchema,
} from "../parameters/check-options.ts";
import { isPlainObject } from "../parameters/schema/json-schema.ts";
import { isObject } from "../parameters/schema/value-kinds.ts";

const PARTS: OptionSchemas<ToolHook> = {
  name: { type: "string", description: "For what is logged and told of it." },
  deadlineMs: { "haft:kind": "milliseconds", description: "What one of its functions may take." },
  beforeToolCall: {
    "haft:kind": "function",
    description: "Rewrites the arguments, asks a person, or blocks.",
  },
  transformResult: { "haft:kind": "function", description: "Changes what the model sees." },
  afterToolCall: { "haft:kind": "function", description: "Hears how the call ended." },
};
const HOOK = optionsSchema<ToolHook>(PARTS, ["name"]);
const NAMES = Object.keys(PARTS) as (keyof ToolHook)[];
const FUNCTIONS = ["beforeToolCall", "transformResult", "afterToolCall"] as const;

/** A hook that is misspelt would hold nothing back. @throws HaftError `INVALID_OPTIONS` */
export function checkHooks(hooks: readonly ToolHook[] | undefined): void {
  for (const [index, hook] of (hooks ?? []).entries()) checkHook(`hooks: ${index}`, hook);
}

function checkHook(where: string, hook: ToolHook): void {
  // What is of a class has what else it needs.
  const isInstance = isObject(hook) && !isPlainObject(hook);
  const parts = isInstance ? Object.fromEntries(NAMES.map((name) => [name, hook[name]])) : hook;
  checkOptions(where, parts, HOOK);
  if (FUNCTIONS.some((name) => hook[name] !== undefined)) return;
  throw invalidOptions(`${where} has none of ${FUNCTIONS.join(", ")}, so it does nothing.`);
}
