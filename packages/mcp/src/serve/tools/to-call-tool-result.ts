import { HaftError, getErrorMessage, type ToolOutcome } from "@haft/core";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { extraContent } from "./mcp-content.ts";

/** Characters of one result, as they are sent. Clients break the connection at a message of 10 MiB. */
const MAX_RESULT_LENGTH = 4 * 1024 * 1024;

/** Where what became of a call stands in a result: for programs, models are not shown it. */
const OUTCOME = "haft/outcome";

/**
 * A result as clients have it. All that the model is to read is in `content`, whatever else there is.
 *
 * @param more what the model reads behind it
 * @param isStructured its details say all that its text says
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
    // What waits, was refused or was stopped did not do what was asked for.
    ...(kind === "ok" ? {} : { isError: true }),
    _meta: { [OUTCOME]: facts },
  };
}

/** Text is bounded by the session; pictures are what may be long. */
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
  return `[Here was something (${type}) of ${length} characters: a result holds ${MAX_RESULT_LENGTH} at most. Ask for less of it.]`;
}

/** What went wrong before there was an outcome. Models read it as the result of their call. */
export function toErrorResult(thrown: unknown): CallToolResult {
  const known = HaftError.is(thrown) ? thrown : undefined;
  const words = [`Error: ${getErrorMessage(thrown)}`, ...(known?.fix === undefined ? [] : [known.fix])].join(
    "\n",
  );
  const facts = { kind: "error", code: known?.code ?? "INTERNAL", receipt: known?.receipt ?? "none" };
  return { content: [{ type: "text", text: words }], isError: true, _meta: { [OUTCOME]: facts } };
}
