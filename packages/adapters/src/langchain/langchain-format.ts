import type { ContentBlock, ToolOutcome } from "@haft/core";
import { asRecord } from "@haft/utils";
import { formatContent } from "../outgoing/format-content.ts";
import { readName } from "../outgoing/read-name.ts";
import type { MessageCall, MessageFormat } from "../outgoing/turn.ts";

/** Fields of the `ToolMessage` that answers a call. */
export interface ToolMessageFields {
  /** Id of the call. */
  tool_call_id: string;
  /** Name as the model wrote it. */
  name: string;
  /** A text, or a list of texts and images in order. */
  content: string | ({ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } })[];
  /** `error` if the call failed, was blocked, waits or was cancelled. */
  status: "success" | "error";
  /** The outcome. The model does not read it. */
  artifact: ToolOutcome;
}

/** The read parts of a message. An `AIMessage` fits. */
export interface LangChainMessage {
  /** Calls with valid JSON. */
  tool_calls?: readonly object[] | undefined;
  /** Calls with invalid JSON, which the bridge also answers. */
  invalid_tool_calls?: readonly object[] | undefined;
}

/** @param message creates a message for an answer */
export function createLangChainFormat<Given extends object, Message>(
  message: (id: string, name: string, outcome: ToolOutcome) => Message,
): MessageFormat<Given, Given, Message> {
  return {
    message: {
      is: "a message of a model (AIMessage)",
      example: "Give it what model.invoke() resolves to.",
    },
    read(given, ids) {
      const { tool_calls: calls, invalid_tool_calls: invalid, type } = asRecord(given);
      if (!Array.isArray(calls) || (type !== undefined && type !== "ai")) return undefined;
      const broken: unknown[] = Array.isArray(invalid) ? invalid : [];
      const all = [...(calls as unknown[]), ...broken].map((call): MessageCall & { id: string } => {
        const { id, name, args } = asRecord(call);
        return { id: ids.take(id), name: readName(name), arguments: args };
      });
      const isSame = broken.length === 0 && all.every(({ id }, index) => id === asRecord(calls[index])["id"]);
      return { messages: [isSame ? given : withCalls(given, all)], calls: all };
    },
    results: (answered, outcomes) =>
      answered.map(({ id = "", name }, index) => message(id, name, outcomes[index]!)),
  };
}

/** Names the argument that contains invalid JSON, because calls of LangChain need an object. */
const UNREADABLE = "unreadable";

export function langchainArguments(args: unknown, schema?: object): unknown {
  const members = asRecord(args);
  const { [UNREADABLE]: written } = members;
  const isParameter = Object.hasOwn(asRecord(asRecord(schema)["properties"]), UNREADABLE);
  return typeof written === "string" && Object.keys(members).length === 1 && !isParameter ? written : args;
}

/**
 * Returns a message of the same class with these calls. A call with invalid JSON becomes a call with the text as an argument. Otherwise
 * models would not receive the call again, and its answer would have no call.
 */
function withCalls<Given extends object>(
  given: Given,
  calls: readonly (MessageCall & { id: string })[],
): Given {
  const changed = {
    tool_calls: calls.map(({ id, name, arguments: args }) => ({
      type: "tool_call",
      id,
      name,
      args: typeof args === "object" && args !== null ? args : { [UNREADABLE]: args },
    })),
    invalid_tool_calls: [],
  };
  const copy = Object.assign(Object.create(Object.getPrototypeOf(given) as object) as Given, given, changed);
  const { lc_kwargs: kept } = asRecord(given);
  return kept === undefined ? copy : Object.assign(copy, { lc_kwargs: { ...asRecord(kept), ...changed } });
}

export function langchainFields(id: string, name: string, outcome: ToolOutcome): ToolMessageFields {
  const { kind, content } = outcome;
  return {
    tool_call_id: id,
    name,
    content: contentOf(content),
    status: kind === "ok" ? "success" : "error",
    artifact: outcome,
  };
}

function contentOf(content: readonly ContentBlock[]): ToolMessageFields["content"] {
  if (content.every(({ type }) => type === "text")) return formatContent(content, () => "");
  return content.map((block) =>
    block.type === "text"
      ? { type: "text", text: block.text }
      : { type: "image_url", image_url: { url: `data:${block.mimeType};base64,${block.data}` } },
  );
}
