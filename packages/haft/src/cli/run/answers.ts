import { formatToolResult, type ToolOutcome } from "@haft/core";

export interface AnswerStyle {
  json: boolean;
  format: "markdown" | "plain";
}

/** The answer to a call, as one line without its end. */
export function answerLine(outcome: ToolOutcome, style: AnswerStyle): string {
  if (!style.json) {
    return JSON.stringify({
      role: "tool",
      tool_call_id: outcome.toolCallId,
      content: formatToolResult(outcome, style.format),
    });
  }
  const { toolCallId, toolName, kind, content, details, durationMs, receipt } = outcome;
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
  });
}

/** The answer to a line that could not be understood; `id` when at least that could be read. */
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
