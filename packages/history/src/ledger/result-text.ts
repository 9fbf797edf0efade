import { formatToolResult } from "@haft/core";
import type { ResultHead } from "@haft/core/internal";
import type { CallRecord } from "@haft/core/kernel";

/** The most characters of a result's text that `record: plan` keeps. */
export const HEAD_CHARACTERS = 2_000;

export function isHead(result: NonNullable<CallRecord["result"]>): result is ResultHead {
  return "sha256" in result;
}

export function getResultText(result: NonNullable<CallRecord["result"]>): string {
  return isHead(result) ? result.head : formatToolResult(result, "plain");
}
