import type { ToolMeta } from "../kernel/ledger.ts";
import { callKey } from "./digest.ts";

/**
 * Did the model already make this very call? Compares tool name and arguments, whatever the order
 * of their keys. A check over any list; the kernel itself asks its index, which does not get slower.
 */
export function isDuplicateToolCall(
  toolName: string,
  args: unknown,
  previousCalls: readonly Pick<ToolMeta, "toolName" | "args">[],
): boolean {
  const key = callKey(toolName, args);
  return previousCalls.some(
    (call) => call.toolName === toolName && callKey(call.toolName, call.args) === key,
  );
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
