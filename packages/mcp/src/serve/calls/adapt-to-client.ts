import { isObject } from "@haft/utils";
import type { CallToolResult } from "@modelcontextprotocol/server";

/**
 * Avoids a known fault of a client. Gemini CLI (tried with 0.61) parses a first text that is JSON, and rejects the whole result if that is
 * no object (google-gemini/gemini-cli#27045). It does not parse the text of a result with structured content.
 */
export function adaptToClient(result: CallToolResult, clientName: string | undefined): CallToolResult {
  if (clientName?.startsWith("gemini-cli") !== true || result.structuredContent !== undefined) return result;
  const [first] = result.content;
  return first?.type === "text" && isOtherJson(first.text)
    ? { ...result, structuredContent: { text: first.text } }
    : result;
}

function isOtherJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return !isObject(value) || Array.isArray(value);
  } catch {
    return false;
  }
}
