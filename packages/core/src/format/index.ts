import { longestBacktickRun, visibleText } from "@haft/utils";
import type { ContentBlock, TextBlock } from "../contract/result.ts";
import { formatPlain, describeImage } from "./plain.ts";

export { summarizeCall } from "./summary.ts";

/**
 * Formats a result or outcome as text for people. Images become a line with type and size.
 *
 * @param format `markdown` for rendered pages and chats, `plain` for everything else.
 *
 * @example
 * ```ts run
 * import { formatToolResult, image, text } from "@haft/core";
 *
 * const content = [text("const a = 1;", "ts"), image(new Uint8Array(2048), "image/png")];
 * formatToolResult({ content }, "plain"); // => "const a = 1;\n\nImage (image/png, 2.0 KB)"
 * formatToolResult({ content: [] }); // => "(no output)"
 * ```
 */
export function formatToolResult(
  result: { readonly content: readonly ContentBlock[] },
  format: "markdown" | "plain" = "markdown",
): string {
  if (result.content.length === 0) return "(no output)";
  return format === "plain" ? formatPlain(result.content) : formatMarkdown(result.content);
}

/** Prose stays Markdown. Texts that Markdown would change get a fence longer than any run of backticks inside. */
function formatMarkdown(content: readonly ContentBlock[]): string {
  return content
    .map((block) => (block.type === "text" ? formatText(block) : `[${describeImage(block)}]`))
    .join("\n\n");
}

function formatText(block: TextBlock): string {
  const text = visibleText(block.text);
  if (text.trim() === "") return "(no output)";
  const language = languageOf(block, text);
  const body = text.replace(/^\n+/, "").trimEnd();
  if (language === undefined && isProse(body)) return body;
  const fence = "`".repeat(Math.max(3, longestBacktickRun(text) + 1));
  return `${fence}${language ?? ""}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

const DIFF = /^(?:diff --git |Index: |--- \S.*\n\+\+\+ \S|@@ -\d)/;

function languageOf(block: TextBlock, text: string): string | undefined {
  if (block.language !== undefined) return /^[\w.+#-]{1,32}$/.test(block.language) ? block.language : "";
  return DIFF.test(text) ? "diff" : undefined;
}

const BLOCK_MARK =
  /^(?:\s|#{1,6}(?:\s|$)|[>|]|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$)|[-=_*]+\s*$|~~~|\[[^\]]*\]:)/m;

const INLINE_MARK = /<[a-z/!?]|\]\(|\]\[|!\[|&#?\w+;|```|\t|\S {2,}\S|\\/i;

function isProse(body: string): boolean {
  return body.length <= 2000 && !BLOCK_MARK.test(body) && !INLINE_MARK.test(body);
}
