import type { ContentBlock, TextBlock } from "../contract/result.ts";
import { imageFacts } from "./image-facts.ts";
import { longestBacktickRun, visibleText } from "./visible-text.ts";

/**
 * Content as Markdown. Prose stays prose. What has a language, is a diff, or would be damaged or
 * come alive as Markdown (indentation, tables, tags, links, fences) stands in a fence longer than
 * any run of backticks inside, so that it always closes.
 */
export function formatMarkdown(content: readonly ContentBlock[]): string {
  return content
    .map((block) => (block.type === "text" ? formatText(block) : `[${imageFacts(block)}]`))
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

/** A hint that would end the info string, or the fence, is dropped; the text keeps its fence. */
function languageOf(block: TextBlock, text: string): string | undefined {
  if (block.language !== undefined) return /^[\w.+#-]{1,32}$/.test(block.language) ? block.language : "";
  return DIFF.test(text) ? "diff" : undefined;
}

/** A line that Markdown reads as a heading, list, quote, table, rule, fence or link target, or that is indented. */
const BLOCK_MARK =
  /^(?:\s|#{1,6}(?:\s|$)|[>|]|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$)|[-=_*]+\s*$|~~~|\[[^\]]*\]:)/m;

/** Tags, links and images, entities, fences, columns, escapes. */
const INLINE_MARK = /<[a-z/!?]|\]\(|\]\[|!\[|&#?\w+;|```|\t|\S {2,}\S|\\/i;

function isProse(body: string): boolean {
  return body.length <= 2000 && !BLOCK_MARK.test(body) && !INLINE_MARK.test(body);
}
