import { wrapLanguageModel } from "ai";
import type { AgentModel } from "./agent-model.ts";

type Prompt = Parameters<AgentModel["doStream"]>[0]["prompt"];
type Message = Prompt[number];
type Result = Extract<Extract<Message, { role: "tool" }>["content"][number], { type: "tool-result" }>;
type Block = Extract<Result["output"], { type: "content" }>["value"][number];
type File = Extract<Block, { type: "file" }>;

/**
 * Chat completions take images in messages of users alone: those of results go into one behind them. As the text of a result
 * an image would be a hundred thousand characters that mean nothing.
 */
export function imagesBehindResults(model: AgentModel): AgentModel {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: "v4",
      transformParams: async ({ params }) => ({ ...params, prompt: params.prompt.flatMap(withImagesBehind) }),
    },
  });
}

function withImagesBehind(message: Message): Message[] {
  if (message.role !== "tool") return [message];
  const images: File[] = [];
  const content = message.content.map((part) => {
    if (part.type !== "tool-result" || part.output.type !== "content") return part;
    const value = part.output.value.map((block): Block => {
      if (block.type !== "file") return block;
      images.push(block);
      return { type: "text", text: `(image ${images.length}: in the next message)` };
    });
    const text = value.map((block) => (block.type === "text" ? block.text : "")).join("\n\n");
    return { ...part, output: { type: "text" as const, value: text } };
  });
  if (images.length === 0) return [{ ...message, content }];
  const shown = images.map(({ data, mediaType }) => ({ type: "file" as const, data, mediaType }));
  return [
    { ...message, content },
    { role: "user", content: [{ type: "text", text: "Images of these results:" }, ...shown] },
  ];
}
