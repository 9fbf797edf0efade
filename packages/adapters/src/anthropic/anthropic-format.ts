import type { ContentBlock } from "@haft/core";
import { asRecord } from "@haft/utils";
import type { CallIds } from "../outgoing/call-ids.ts";
import { formatImageLine, isWebImage, formatContent } from "../outgoing/format-content.ts";
import { readName } from "../outgoing/read-name.ts";
import type { AnsweredCall, MessageCall, MessageFormat } from "../outgoing/turn.ts";

/** Media types of images that the Messages API accepts. */
export type MediaType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** Answer to one call. */
export interface AnthropicToolResult {
  /** Kind of the block. */
  type: "tool_result";
  /** Id of the call. */
  tool_use_id: string;
  /** A text, or a list of texts and images in order. */
  content:
    | string
    | (
        | { type: "text"; text: string }
        | { type: "image"; source: { type: "base64"; media_type: MediaType; data: string } }
      )[];
  /** Present if the call failed, was blocked, waits or was cancelled. */
  is_error?: true;
}

/** The model's message, ready to be sent back. */
export interface AnthropicAssistantMessage<Block> {
  /** Role of the message. */
  role: "assistant";
  /** Blocks of the model's message, with repaired ids. */
  content: Block[];
}

/** Answers to all calls of one message. The API requires them directly after it. */
export interface AnthropicResultMessage {
  /** Role of the message. */
  role: "user";
  /** Answers, in the order of the calls. */
  content: AnthropicToolResult[];
}

/** The read parts of a message. A `Message` of Anthropic's SDK fits. */
export interface AnthropicMessage<Block extends object = object> {
  /** Blocks of the message. */
  content: readonly Block[];
  /** Why the model stopped. At `max_tokens`, the last call of the message does not run. */
  stop_reason?: string | null;
}

interface ToolUse {
  type?: unknown;
  id?: unknown;
  name?: unknown;
  input?: unknown;
}

/** The API accepts only these ids. */
const ID = /^[\w-]{1,64}$/;

const CUT_SHORT =
  "Error: The answer of the model ended at its token limit, so this call may be incomplete and did not run. Make the call again, in smaller parts if it is long.";

/** With these reasons, the last call may be incomplete. */
const CUT: ReadonlySet<unknown> = new Set(["max_tokens", "model_context_window_exceeded"]);

export function createAnthropicFormat<Given extends object>(): MessageFormat<
  AnthropicMessage<Given> | readonly Given[],
  AnthropicAssistantMessage<Given>,
  AnthropicResultMessage
> {
  return {
    ids: ID,
    message: {
      is: "a message of the Messages API, or the list of its blocks",
      example: "Give it what client.messages.create() answers.",
    },
    read(given, ids) {
      const message: unknown = Array.isArray(given) ? { content: given } : given;
      const { content, role, stop_reason } = asRecord(message);
      if (!Array.isArray(content) || (role !== undefined && role !== "assistant")) return undefined;
      const calls: MessageCall[] = [];
      const blocks = content.map((block: Given) => readBlock(block, ids, calls));
      const last = calls.at(-1);
      if (last !== undefined && CUT.has(stop_reason) && isCall(content.at(-1)))
        Object.assign(last, { arguments: cutShort(last.arguments), cut: CUT_SHORT });
      return { messages: [{ role: "assistant", content: blocks }], calls };
    },
    results: (answered) => [{ role: "user", content: answered.map(toAnthropicResult) }],
  };
}

function isCall(block: unknown): block is ToolUse {
  return (block as ToolUse | null | undefined)?.type === "tool_use";
}

function readBlock<Given extends object>(block: Given, ids: CallIds, calls: MessageCall[]): Given {
  if (!isCall(block)) return block;
  const { id: before, name, input } = block as ToolUse;
  const id = ids.take(before);
  calls.push({ id, name: readName(name), arguments: input });
  return id === before ? block : { ...block, id };
}

/** Returns text without its end, which the kernel refuses. */
function cutShort(input: unknown): string {
  return (JSON.stringify(input) ?? "{").replace(/\}?$/, "");
}

export function toAnthropicResult({ id = "", content, isError }: AnsweredCall): AnthropicToolResult {
  const shown = contentOf(content, isError);
  return {
    type: "tool_result",
    tool_use_id: id,
    content: shown,
    ...(isError && { is_error: true as const }),
  };
}

/** The API accepts only text in an error, and no empty text. */
function contentOf(content: readonly ContentBlock[], isError: boolean): AnthropicToolResult["content"] {
  const isPlain = isError || content.every((block) => block.type === "text" || !isWebImage(block));
  if (isPlain) return formatContent(content, (image) => formatImageLine(image));
  return content.flatMap((block): Exclude<AnthropicToolResult["content"], string> => {
    if (block.type === "image" && isWebImage(block)) {
      const { data, mimeType } = block;
      return [{ type: "image", source: { type: "base64", media_type: mimeType as MediaType, data } }];
    }
    const text = block.type === "text" ? block.text : formatImageLine(block);
    return text === "" ? [] : [{ type: "text", text }];
  });
}
