import { formatToolResult, type ContentBlock, type ToolOutcome } from "@haft/core";
import type { SessionEvent } from "@haft/core/kernel";

export interface AnswerStyle {
  json: boolean;
  format: "markdown" | "plain";
}

export function answerLine(outcome: ToolOutcome, style: AnswerStyle): string {
  if (!style.json) {
    return JSON.stringify({
      role: "tool",
      tool_call_id: outcome.toolCallId,
      content: messageContent(outcome.content, style.format),
    });
  }
  const { toolCallId, toolName, kind, content, details, durationMs, receipt, replayed, resumed } = outcome;
  return JSON.stringify({
    toolCallId,
    toolName,
    kind,
    code: kind === "ok" ? undefined : outcome.code,
    approvalId: kind === "pending" ? outcome.approvalId : undefined,
    content,
    details,
    durationMs,
    receipt,
    replayed,
    resumed,
  });
}

export function updateLine(
  { toolCallId, toolName, partial }: Extract<SessionEvent, { type: "tool-update" }>,
  durationMs: number,
): string {
  const { content, details } = partial;
  return JSON.stringify({ toolCallId, toolName, kind: "update", content, details, durationMs });
}

type MessagePart = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

function messageContent(
  content: readonly ContentBlock[],
  format: AnswerStyle["format"],
): string | MessagePart[] {
  if (content.every(({ type }) => type === "text")) return formatToolResult({ content }, format);
  const parts: MessagePart[] = [];
  let texts: ContentBlock[] = [];
  const endText = () => {
    if (texts.length > 0) parts.push({ type: "text", text: formatToolResult({ content: texts }, format) });
    texts = [];
  };
  for (const block of content) {
    if (block.type === "text") {
      texts.push(block);
      continue;
    }
    endText();
    parts.push({ type: "image_url", image_url: { url: `data:${block.mimeType};base64,${block.data}` } });
  }
  endText();
  return parts;
}

export function errorLine(code: string, message: string, style: AnswerStyle, id = ""): string {
  const text = `Error: ${message}`;
  if (!style.json)
    return JSON.stringify({ role: "tool", tool_call_id: id, content: text, error: { code, message } });
  return JSON.stringify({
    toolCallId: id,
    toolName: "",
    kind: "error",
    code,
    content: [{ type: "text", text }],
    details: { error: code, message },
    durationMs: 0,
    receipt: "none",
  });
}
