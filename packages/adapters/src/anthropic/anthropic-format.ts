import type { ContentBlock } from "@haft/core";
import { asRecord } from "@haft/core/internal";
import type { CallIds } from "../outgoing/call-ids.ts";
import { formatImageLine, isWebImage, formatContent } from "../outgoing/format-content.ts";
import { readName } from "../outgoing/read-name.ts";
import type { AnsweredCall, MessageCall, MessageFormat } from "../outgoing/turn.ts";

/** Images that the API takes. */
export type MediaType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** The answer to one call, as the Messages API has it. */
export interface AnthropicToolResult {
  /** Tells blocks apart. */
  type: "tool_result";
  /** The call. */
  tool_use_id: string;
  /** A text, or texts and images in their order. */
  content:
    | string
    | (
        | { type: "text"; text: string }
        | { type: "image"; source: { type: "base64"; media_type: MediaType; data: string } }
      )[];
  /** It failed, was blocked, waits or was cancelled. */
  is_error?: true;
}

/** What the model said, to send it again. */
export interface AnthropicAssistantMessage<Block> {
  /** Tells messages apart. */
  role: "assistant";
  /** As it came, but for ids that were repaired. */
  content: Block[];
}

/** The answers to all calls of one message: the API wants them together, before anything else. */
export interface AnthropicResultMessage {
  /** Tells messages apart. */
  role: "user";
  /** In the order of the calls. */
  content: AnthropicToolResult[];
}

/** What of a message of a model counts here. */
export interface AnthropicMessage<Block extends object = object> {
  /** Its blocks. */
  content: readonly Block[];
  /** Why it ended. */
  stop_reason?: string | null;
}

interface ToolUse {
  type?: unknown;
  id?: unknown;
  name?: unknown;
  input?: unknown;
}

/** The API takes no other ids. */
const ID = /^[\w-]{1,64}$/;

/** A message that ended like this may have ended in the middle of its last call. */
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
        last.arguments = cutShort(last.arguments);
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

/** The arguments as they are: a text without its end, which the kernel refuses. What is there could be taken for all of it. */
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

/** Of an error, the API takes texts alone; of a text, none without a character. */
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
