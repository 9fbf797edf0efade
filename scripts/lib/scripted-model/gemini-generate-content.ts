import {
  type Answer,
  type Dialect,
  isObject,
  type Json,
  toObjects,
  parseOr,
  pieces,
  toText,
  countTokens,
} from "./dialect.ts";
import type { ModelRequest, ToolResult } from "./script.ts";

const ASKED = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** Google's Gemini API, for Gemini CLI. */
export const geminiGenerateContent: Dialect = {
  name: "gemini",
  asks: (path) => ASKED.test(path),
  handleOther: (path, body) =>
    path.endsWith(":countTokens") ? { totalTokens: countTokens(body) } : undefined,
  read(body, url) {
    const [, model = "", method] = ASKED.exec(url.pathname) ?? [];
    const contents = toObjects(body["contents"]);
    const partsOf = (content: Json) => toObjects(content["parts"]);
    const prompts = contents
      .filter(({ role }) => role === "user")
      .map((content) =>
        partsOf(content)
          .map(({ text }) => toText(text))
          .join(""),
      );
    return {
      model,
      stream: method === "streamGenerateContent",
      tools: toObjects(body["tools"])
        .flatMap((tool) => toObjects(tool["functionDeclarations"]))
        .map(({ name }) => ({ name: toText(name) })),
      results: contents.flatMap((content) => resultsOf(partsOf(content))),
      spokenTurns: contents.filter(
        (content) =>
          content["role"] === "model" && partsOf(content).every((part) => !isObject(part["functionCall"])),
      ).length,
      prompt: prompts.findLast((text) => text !== "") ?? "",
    };
  },
  formatResponse: (answer, request) =>
    chunk(answer, request, [...textParts(answer), ...callParts(answer)], true),
  *events(answer, request) {
    const parts = [...pieces(answer.text).map((text) => ({ text })), ...callParts(answer)];
    const event = (each: Json[], isLast: boolean) =>
      `data: ${JSON.stringify(chunk(answer, request, each, isLast))}\r\n\r\n`;
    for (const [index, part] of parts.entries()) yield event([part], index === parts.length - 1);
    if (parts.length === 0) yield event([{ text: "" }], true);
  },
  error: (code, message) => ({
    error: {
      code,
      message,
      status: code === 429 ? "RESOURCE_EXHAUSTED" : code < 500 ? "INVALID_ARGUMENT" : "INTERNAL",
    },
  }),
};

/** Images are parts of a result or follow it. */
function resultsOf(parts: readonly Json[]): ToolResult[] {
  const results: ToolResult[] = [];
  for (const part of parts) {
    const { functionResponse: answered, inlineData } = part;
    if (isObject(answered)) {
      const response = isObject(answered["response"]) ? answered["response"] : {};
      const { output, error, ...others } = response;
      const said = error ?? output;
      results.push({
        callId: typeof answered["id"] === "string" ? answered["id"] : undefined,
        text: typeof said === "string" ? said : JSON.stringify(said ?? others),
        images: toObjects(answered["parts"]).filter((each) => isObject(each["inlineData"])).length,
        isError: error !== undefined,
      });
    } else if (isObject(inlineData) && results.length > 0) {
      const last = results.at(-1)!;
      results[results.length - 1] = { ...last, images: last.images + 1 };
    }
  }
  return results;
}

function textParts({ text }: Answer): Json[] {
  return text === "" ? [] : [{ text }];
}

function callParts({ calls }: Answer): Json[] {
  return calls.map(({ id, name, arguments: json }) => ({
    functionCall: { id, name, args: parseOr(json, {}) },
    // Clients return the signature of newer models' calls.
    thoughtSignature: "c2NyaXB0",
  }));
}

function chunk({ id, text, calls }: Answer, { model, body }: ModelRequest, parts: Json[], isLast: boolean) {
  const promptTokenCount = countTokens(body["contents"]);
  const candidatesTokenCount = countTokens(text) + countTokens(calls);
  return {
    candidates: [{ index: 0, content: { role: "model", parts }, ...(isLast && { finishReason: "STOP" }) }],
    ...(isLast && {
      usageMetadata: {
        promptTokenCount,
        candidatesTokenCount,
        totalTokenCount: promptTokenCount + candidatesTokenCount,
      },
    }),
    modelVersion: model,
    responseId: id,
  };
}
