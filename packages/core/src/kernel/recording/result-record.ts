import type { CallRecord, RecordMode, ResultHead } from "../../contract/ledger-port.ts";
import { textOf, type ToolResult } from "../../contract/result.ts";
import { redactSecrets } from "../../format/redact.ts";
import { coverValue } from "./cover-value.ts";

/** Characters of a text that are kept where not all of it is. */
const HEAD = 2_000;
/** So much is looked at for secrets that begin in what is kept and end behind it. */
const WINDOW = 4_000;

/** What is kept of a result. */
export function resultRecord(
  { content, details }: Pick<ToolResult, "content" | "details">,
  mode: RecordMode,
): CallRecord["result"] {
  if (mode === "none") return undefined;
  if (mode === "plan") return headOf({ content, details });
  return coverValue({ content, details: readable(details) });
}

function headOf(result: Pick<ToolResult, "content" | "details">): ResultHead {
  const json = textOfJson(result);
  const shown = textOf(result.content).slice(0, WINDOW);
  return {
    bytes: Buffer.byteLength(json),
    sha256: process.getBuiltinModule("node:crypto").hash("sha256", json, "hex"),
    head: redactSecrets(shown).slice(0, HEAD).toWellFormed(),
  };
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
