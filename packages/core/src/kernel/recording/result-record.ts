import type { CallRecord, RecordMode } from "../../contract/ledger-port.ts";
import { textOf, type ToolResult } from "../../contract/result.ts";
import { coverValue, headOf } from "./cover-value.ts";

export function resultRecord(
  { content, details }: Pick<ToolResult, "content" | "details">,
  mode: RecordMode,
): CallRecord["result"] {
  if (mode === "none") return undefined;
  if (mode === "plan") return headOf(textOfJson({ content, details }), textOf(content));
  return coverValue({ content, details: readable(details) });
}

function textOfJson({ content, details }: Pick<ToolResult, "content" | "details">): string {
  try {
    return JSON.stringify({ content, details });
  } catch {
    return JSON.stringify({ content, details: UNREADABLE });
  }
}

/** Details are JSON by contract only. */
function readable(details: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(details)) as unknown;
  } catch {
    return UNREADABLE;
  }
}

const UNREADABLE = { unreadable: true };
