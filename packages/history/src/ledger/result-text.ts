import { formatToolResult } from "@haft/core";
import type { ResultHead } from "@haft/core/internal";
import type { CallRecord } from "@haft/core/kernel";

/** Characters of a result with `record: plan`. */
export const HEAD_CHARACTERS = 2_000;

/**
 * Returns whether only size, hash and start of a result were recorded.
 *
 * @example
 * ```ts
 * import type { CallRecord } from "@haft/core/kernel";
 * import { isHead } from "@haft/history/ledger";
 * declare const result: NonNullable<CallRecord["result"]>;
 * if (isHead(result)) console.log("The record has the start only:", result.head);
 * ```
 */
export function isHead(result: NonNullable<CallRecord["result"]>): result is ResultHead {
  return "sha256" in result;
}

/**
 * Returns the text of a recorded result, or its recorded start and end.
 *
 * @example
 * ```ts
 * import type { CallRecord } from "@haft/core/kernel";
 * import { getResultText } from "@haft/history/ledger";
 * declare const call: CallRecord;
 * if (call.result !== undefined) console.log(getResultText(call.result));
 * ```
 */
export function getResultText(result: NonNullable<CallRecord["result"]>): string {
  if (!isHead(result)) return formatToolResult(result, "plain");
  return result.tail === undefined ? result.head : `${result.head}\n[…]\n${result.tail}`;
}
