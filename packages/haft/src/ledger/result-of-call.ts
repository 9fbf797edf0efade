import { formatToolResult } from "@haft/core";
import type { CallRecord, ResultHead } from "@haft/core/kernel";

/** The most characters of a result's text that `record: plan` keeps. */
export const HEAD_CHARACTERS = 2_000;

export function isHead(result: NonNullable<CallRecord["result"]>): result is ResultHead {
  return "sha256" in result;
}

/** The text of what the model was given, images as what is known of them; of a head what there is. */
export function textOfResult(result: NonNullable<CallRecord["result"]>): string {
  return isHead(result) ? result.head : formatToolResult(result, "plain");
}
