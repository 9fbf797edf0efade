import { formatImageLine, isWebImage, formatContent } from "../outgoing/format-content.ts";
import { readName } from "../outgoing/read-name.ts";
import type { AnsweredCall, MessageCall, MessageFormat } from "../outgoing/turn.ts";

/**
 * Answer to one call.
 *
 * @example
 * ```ts
 * import type { ResponsesOutput } from "@haft/adapters/openai";
 * const output: ResponsesOutput = { type: "function_call_output", call_id: "call_1", output: "3 files" };
 * ```
 */
export interface ResponsesOutput {
  /** `custom_tool_call_output` if the model called the tool as a custom tool. */
  type: "function_call_output" | "custom_tool_call_output";
  /** Id of the call. */
  call_id: string;
  /** A text, or a list of texts and images in order. */
  output:
    | string
    | (
        | { type: "input_text"; text: string }
        | {
            type: "input_image";
            /** The image as a data URL. */
            image_url: string;
            /** Resolution of the image: the model chooses. */
            detail: "auto";
          }
      )[];
}

interface Item {
  type?: unknown;
  call_id?: unknown;
  name?: unknown;
  arguments?: unknown;
  input?: unknown;
}

/** Longer than in chat completions. */
const CALL_ID = /^[\w.:-]{1,64}$/;

/** @param Output an item of a response */
export function createResponsesFormat<Output extends object>(): MessageFormat<
  readonly Output[],
  Output,
  ResponsesOutput
> {
  /** Custom tools' answers have their own type. */
  const custom = new Set<string>();
  return {
    ids: CALL_ID,
    message: { is: "the items of a response", example: "Give it response.output." },
    read(given, ids) {
      if (!Array.isArray(given) || given.some((item) => typeof item !== "object" || item === null))
        return undefined;
      const calls: MessageCall[] = [];
      const messages = given.map((item: Output & Item): Output => {
        const { type, call_id: before, name, arguments: args, input } = item;
        if (type !== "function_call" && type !== "custom_tool_call") return item;
        const id = ids.take(before);
        if (type === "custom_tool_call") custom.add(id);
        calls.push({ id, name: readName(name), arguments: type === "function_call" ? args : input });
        return id === before ? item : { ...item, call_id: id };
      });
      return { messages, calls };
    },
    results: (answered) =>
      answered.map(({ id = "", content }) => ({
        type: custom.has(id) ? "custom_tool_call_output" : "function_call_output",
        call_id: id,
        output: toResponsesOutput(content),
      })),
  };
}

export function toResponsesOutput(content: AnsweredCall["content"]): ResponsesOutput["output"] {
  if (content.every((block) => block.type === "text" || !isWebImage(block)))
    return formatContent(content, (image) => formatImageLine(image));
  return content.map((block) => {
    if (block.type === "text") return { type: "input_text", text: block.text };
    if (!isWebImage(block)) return { type: "input_text", text: formatImageLine(block) };
    const { mimeType, data } = block;
    return { type: "input_image", image_url: `data:${mimeType};base64,${data}`, detail: "auto" };
  });
}
