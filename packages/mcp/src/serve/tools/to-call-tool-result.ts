import { HaftError, getErrorMessage, type ToolOutcome } from "@haft/core";
import { isObject } from "@haft/utils";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { extraContent } from "./mcp-content.ts";

/** Characters of a result. Clients disconnect at a message of 10 MiB. */
const MAX_RESULT_LENGTH = 4 * 1024 * 1024;

/** Key of the outcome in a result, for programs only. */
const OUTCOME = "haft/outcome";

/**
 * Converts an outcome.
 *
 * @param more text after the result
 * @param isStructured whether the details contain the whole text
 */
export function toCallToolResult(
  outcome: ToolOutcome,
  { more = [], isStructured = false }: { more?: readonly string[]; isStructured?: boolean } = {},
): CallToolResult {
  const { kind, toolCallId, receipt, durationMs } = outcome;
  const facts = {
    kind,
    toolCallId,
    receipt,
    durationMs,
    ...(kind === "ok" ? {} : { code: outcome.code }),
    ...(kind === "pending" ? { approvalId: outcome.approvalId } : {}),
  };
  const { structuredContent: mounted } = outcome.details;
  return {
    content: [
      ...withinSize([
        ...outcome.content.map((block): ContentBlock =>
          block.type === "text"
            ? { type: "text", text: block.text }
            : { type: "image", data: block.data, mimeType: block.mimeType },
        ),
        ...(kind === "ok" ? extraContent(outcome.details).map((block): ContentBlock => ({ ...block })) : []),
      ]),
      ...more.map((words) => ({ type: "text" as const, text: words })),
    ],
    ...(isStructured && kind === "ok" ? { structuredContent: outcome.details } : {}),
    // The structure that a mounted server sent.
    ...(!isStructured && isObject(mounted) ? { structuredContent: mounted } : {}),
    ...(kind === "ok" ? {} : { isError: true }),
    _meta: { [OUTCOME]: facts },
  };
}

/** Images may exceed the session's limit. */
function withinSize(content: readonly ContentBlock[]): ContentBlock[] {
  let left = MAX_RESULT_LENGTH;
  return content.map((block): ContentBlock => {
    const length = lengthOf(block);
    if (length > left) return { type: "text", text: tooLong(block, length) };
    left -= length;
    return block;
  });
}

function lengthOf(block: ContentBlock): number {
  if (block.type === "text") return block.text.length;
  if (block.type === "image" || block.type === "audio") return block.data.length;
  return JSON.stringify(block).length;
}

function tooLong({ type }: ContentBlock, length: number): string {
  return `[Content of type ${type} with ${length} characters was left out: a result has at most ${MAX_RESULT_LENGTH}. Request less.]`;
}

/** Converts an error before any outcome to a result that models read. */
export function toErrorResult(thrown: unknown): CallToolResult {
  const known = HaftError.is(thrown) ? thrown : undefined;
  const words = [`Error: ${getErrorMessage(thrown)}`, ...(known?.fix === undefined ? [] : [known.fix])].join(
    "\n",
  );
  const facts = { kind: "error", code: known?.code ?? "INTERNAL", receipt: known?.receipt ?? "none" };
  return { content: [{ type: "text", text: words }], isError: true, _meta: { [OUTCOME]: facts } };
}
