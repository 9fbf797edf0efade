import type { ImageBlock } from "@haft/core";
import { asRecord } from "@haft/utils";
import { formatImageLine, isWebImage, formatContent } from "../outgoing/format-content.ts";
import { readName } from "../outgoing/read-name.ts";
import type { AnsweredCall, MessageCall, MessageFormat } from "../outgoing/turn.ts";

/** Answer to one call. */
export interface ChatToolMessage {
  /** Role of the message. */
  role: "tool";
  /** Id of the call. */
  tool_call_id: string;
  /** Text for the model. For an image, a line that names its part of the image message. */
  content: string;
}

/** Images of results, in a message after the answers, which hold only text. */
export interface ChatImageMessage {
  /** Role of the message. */
  role: "user";
  /** Each image, after a line that names its call. */
  content: (
    | { type: "text"; text: string }
    | {
        type: "image_url";
        image_url: {
          /** The image as a data URL. */
          url: string;
        };
      }
  )[];
}

/** The read parts of a message. A `ChatCompletionMessage` fits. */
export interface ChatMessage {
  /** Calls of the message. */
  tool_calls?: readonly object[] | null | undefined;
}

/** The model's message, if `answer` received only its calls. */
export interface ChatCallsMessage {
  /** Role of the message. */
  role: "assistant";
  /** Always null: the message has only calls. */
  content: null;
  /** Calls of the message. */
  // Depends on the caller's SDK.
  tool_calls: never[];
}

interface ToolCall {
  id?: unknown;
  type?: unknown;
  function?: { name?: unknown; arguments?: unknown };
  custom?: { name?: unknown; input?: unknown };
}

/** @param Message a message, or the list of its calls */
export function createChatFormat<Message extends ChatMessage>(): MessageFormat<
  Message | readonly object[],
  Message | ChatCallsMessage,
  ChatToolMessage | ChatImageMessage
> {
  return {
    message: {
      is: "the message of a chat completion, or the list of its tool_calls",
      example: "Give it completion.choices[0].message.",
    },
    read(given, ids) {
      const message: unknown = Array.isArray(given)
        ? { role: "assistant", content: null, tool_calls: given }
        : given;
      const { tool_calls: calls, role, choices } = asRecord(message);
      const isMessage = choices === undefined && (role === undefined || role === "assistant");
      if (!isMessage || !isListOrNone(calls)) return undefined;
      const repaired = (calls ?? []).map((call) => ({
        ...(call as ToolCall),
        id: ids.take((call as ToolCall | null)?.id),
      }));
      const isSame = repaired.every(({ id }, index) => id === (calls?.[index] as ToolCall | null)?.id);
      const kept = isSame ? message : { ...(message as object), tool_calls: repaired };
      return { messages: [kept as Message], calls: repaired.map(callOf) };
    },
    results: chatAnswers,
  };
}

/** The images follow all answers. */
export function chatAnswers(answered: readonly AnsweredCall[]): (ChatToolMessage | ChatImageMessage)[] {
  const images: { image: ImageBlock; of: AnsweredCall }[] = [];
  const tools = answered.map((of): ChatToolMessage => ({
    role: "tool",
    tool_call_id: of.id ?? "",
    content: formatContent(of.content, (image) => {
      if (!isWebImage(image)) return formatImageLine(image);
      images.push({ image, of });
      return formatImageLine(image, `image ${images.length} of the message behind the results`);
    }),
  }));
  return images.length === 0 ? tools : [...tools, imageMessage(images)];
}

function isListOrNone(value: unknown): value is readonly unknown[] | null | undefined {
  return value === undefined || value === null || Array.isArray(value);
}

function callOf(call: ToolCall & { id: string }): MessageCall {
  const { id, function: asked, custom } = call;
  return {
    id,
    name: readName(asked?.name ?? custom?.name),
    arguments: asked === undefined ? custom?.input : asked.arguments,
  };
}

function imageMessage(images: readonly { image: ImageBlock; of: AnsweredCall }[]): ChatImageMessage {
  return {
    role: "user",
    content: images.flatMap(({ image, of }, index) => [
      { type: "text", text: `Image ${index + 1}, of the result of ${of.name} (${of.id}):` } as const,
      {
        type: "image_url",
        image_url: { url: `data:${image.mimeType};base64,${image.data}` },
      } as const,
    ]),
  };
}
