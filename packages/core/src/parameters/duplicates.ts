import type { ToolMeta } from "../contract/ledger-port.ts";
import type { AnyTool } from "../contract/tool.ts";
import { callKey } from "./digest.ts";
import { findExceededBound } from "./schema/json-bounds.ts";
import { isPlainObject } from "./schema/json-schema.ts";
import { validateArguments } from "./validate-arguments.ts";

/**
 * Returns whether a list contains this call, by tool name and arguments (an object or its JSON text, with keys in any order). The time
 * grows with the list.
 *
 * @param tool Applies aliases and repairs, and ignores volatile arguments. With an asynchronous `validate`, arguments are compared as sent.
 *
 * @example
 * ```ts run
 * import { isDuplicateToolCall } from "@haft/core";
 *
 * const earlier = [{ toolName: "read", args: { path: "a.txt", limit: 10 } }];
 * isDuplicateToolCall("read", '{"limit":10,"path":"a.txt"}', earlier); // => true
 * isDuplicateToolCall("read", { path: "b.txt" }, earlier); // => false
 * ```
 */
export function isDuplicateToolCall(
  toolName: string,
  args: unknown,
  previousCalls: readonly Pick<ToolMeta, "toolName" | "args">[],
  tool?: AnyTool,
): boolean {
  const key = callIdentity(toolName, args, tool);
  return previousCalls.some(
    (call) =>
      call.toolName === toolName &&
      // The ledger has validated arguments, which must not be transformed again.
      (callIdentity(toolName, call.args, tool) === key ||
        (tool !== undefined &&
          isPlainObject(call.args) &&
          preparedIdentity(toolName, call.args, tool) === key)),
  );
}

export function callIdentity(toolName: string, args: unknown, tool?: AnyTool): string {
  if (tool === undefined) return callKey(toolName, args === undefined ? {} : fromText(args));
  const prepared = validateArguments(tool, args);
  if (prepared instanceof Promise) return callIdentity(toolName, args);
  return prepared.ok ? preparedIdentity(toolName, prepared.args, tool) : callIdentity(toolName, args);
}

export function preparedIdentity(toolName: string, args: Record<string, unknown>, tool: AnyTool): string {
  return callKey(toolName, args, volatileArguments(tool));
}

function fromText(args: unknown): unknown {
  if (typeof args !== "string" || findExceededBound(args) !== undefined) return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

const volatileSets = new WeakMap<AnyTool, ReadonlySet<string>>();

function volatileArguments(tool: AnyTool): ReadonlySet<string> | undefined {
  const names = tool.progress?.volatileArguments;
  if (!names) return undefined;
  let set = volatileSets.get(tool);
  if (!set) volatileSets.set(tool, (set = new Set(names)));
  return set;
}

/** People repeat short texts such as "ok". */
const SHORTEST_MESSAGE = 10;

/**
 * Returns whether a text was sent before. Case, white space and emoji do not count. A text that contains the other is a duplicate if the
 * shorter has at least half of its length. Texts of less than 10 characters are never duplicates.
 *
 * @example
 * ```ts run
 * import { isDuplicateMessage } from "@haft/core";
 *
 * isDuplicateMessage("Deployed version 2.1 🎉", ["deployed  version 2.1"]); // => true
 * isDuplicateMessage("done!", ["done!"]); // => false
 * ```
 */
export function isDuplicateMessage(text: string, sent: readonly string[]): boolean {
  const candidate = normalizeMessage(text);
  if (candidate.length < SHORTEST_MESSAGE) return false;
  return sent.some((earlier) => {
    const other = normalizeMessage(earlier);
    if (other.length < SHORTEST_MESSAGE) return false;
    const [short, long] = other.length < candidate.length ? [other, candidate] : [candidate, other];
    return short.length * 2 >= long.length && long.includes(short);
  });
}

function normalizeMessage(text: string): string {
  return text
    .toLowerCase()
    .replace(/\p{Extended_Pictographic}|\u{FE0F}|\u{200D}/gu, "")
    .replace(/\s+/g, " ")
    .trim();
}
