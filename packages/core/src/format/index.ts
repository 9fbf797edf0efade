import type { ContentBlock } from "../contract/result.ts";
import { formatMarkdown } from "./markdown.ts";
import { formatPlain } from "./plain.ts";

export { summarizeCall } from "./summary.ts";

/**
 * A result or an outcome as text for people. Images become a line with their type and size. Never
 * empty: without anything to show it says `(no output)`.
 *
 * @param format `markdown` for chats and pages that render it, `plain` for everything else.
 */
export function formatToolResult(
  result: { readonly content: readonly ContentBlock[] },
  format: "markdown" | "plain" = "markdown",
): string {
  if (result.content.length === 0) return "(no output)";
  return format === "plain" ? formatPlain(result.content) : formatMarkdown(result.content);
}
