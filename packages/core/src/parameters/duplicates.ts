import type { ToolMeta } from "../contract/ledger-port.ts";
import type { AnyTool } from "../contract/tool.ts";
import { callKey } from "./digest.ts";
import { findExceededBound } from "./schema/json-bounds.ts";
import { isPlainObject } from "./schema/json-schema.ts";
import { validateArguments } from "./validate-arguments.ts";

/**
 * Did the model already make this very call? Compares tool name and arguments as the kernel does: whatever the order
 * of their keys, as an object or as its JSON text. A check over any list; the kernel itself asks its index, which does
 * not get slower.
 *
 * @param tool given, its aliases and repairs count, and what it calls volatile does not; of a schema whose `validate` is
 * asynchronous, the arguments as they were sent
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
      // What a ledger has is what a schema of a library made of the arguments, and not to be made anything of again.
      (callIdentity(toolName, call.args, tool) === key ||
        (tool !== undefined &&
          isPlainObject(call.args) &&
          preparedIdentity(toolName, call.args, tool) === key)),
  );
}

/** One short text for all calls that are the same call, with arguments as the model wrote them. */
export function callIdentity(toolName: string, args: unknown, tool?: AnyTool): string {
  if (tool === undefined) return callKey(toolName, args === undefined ? {} : fromText(args));
  const prepared = validateArguments(tool, args);
  if (prepared instanceof Promise) return callIdentity(toolName, args);
  return prepared.ok ? preparedIdentity(toolName, prepared.args, tool) : callIdentity(toolName, args);
}

export function preparedIdentity(toolName: string, args: Record<string, unknown>, tool: AnyTool): string {
  return callKey(toolName, args, volatileArguments(tool));
}

/** A text beyond the bounds of arguments is not parsed: it is the same call only as the same text. */
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

/** Shorter texts ("ok", "done!") are never duplicates: people do repeat those. */
const SHORTEST_MESSAGE = 10;

/**
 * Was this text already sent? Case, white space and emoji do not count. One text may contain the
 * other, if the shorter is at least half of the longer.
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
