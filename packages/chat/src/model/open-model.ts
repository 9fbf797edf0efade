import { requireKnownOptions } from "@haft/core/internal";
import { wrapLanguageModel } from "ai";
import type { AgentModel } from "./agent-model.ts";
import { fetchAtOrigin } from "./fetch-at-origin.ts";
import { type ModelEndpoint, type ModelSettings, resolveModelEndpoint } from "./model-settings.ts";

/**
 * Contains a model and facts about it: the result of {@link openModel}.
 *
 * @example
 * ```ts
 * import { openModel, type OpenedModel } from "@haft/chat";
 * const { name, where, byDefault }: OpenedModel = await openModel();
 * if (byDefault) console.error(`${name} at ${where} answers. Choose another with --model.`);
 * ```
 */
export interface OpenedModel {
  /** Contains the model for {@link runAgent}. */
  model: AgentModel;
  /** Names the model: `provider/model`. */
  name: string;
  /** Contains the host name and port of the endpoint, for people. */
  where: string;
  /** States that the model is the default of the provider with a key. */
  byDefault: boolean;
}

/** Endpoints without keys ignore it. */
const NO_KEY = "none";

/**
 * Opens a model by OpenAI's chat completions, Anthropic's messages or Google's generateContent. Reads the key
 * from the provider's environment variable. It sends no request.
 *
 * @throws HaftError `INVALID_OPTIONS`, `MODEL_SETTINGS`, `MODEL_KEY`
 *
 * @example
 * ```ts run
 * import { openModel } from "@haft/chat";
 * const local = { baseUrl: "http://localhost:11434/v1" };
 * const { name, where } = await openModel({ model: "local/qwen3", providers: { local } });
 * `${name} at ${where}`; // => "local/qwen3 at localhost:11434"
 * ```
 */
export async function openModel(
  settings: ModelSettings = {},
  env: NodeJS.ProcessEnv = process.env,
): Promise<OpenedModel> {
  requireKnownOptions<ModelSettings>("openModel", settings, {
    model: true,
    baseUrl: true,
    keyEnv: true,
    providers: true,
  });
  const endpoint = resolveModelEndpoint(settings, env);
  const { name, baseUrl, byDefault } = endpoint;
  return { model: await modelAt(endpoint, env), name, where: new URL(baseUrl).host, byDefault };
}

async function modelAt(
  { api, model, baseUrl: baseURL, keyEnv }: ModelEndpoint,
  env: NodeJS.ProcessEnv,
): Promise<AgentModel> {
  const key = keyEnv === undefined ? undefined : env[keyEnv];
  const fetch = fetchAtOrigin(baseURL);
  switch (api) {
    case "openai": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const provider = createOpenAICompatible({
        name: "openai",
        baseURL,
        fetch,
        includeUsage: true,
        ...(key !== undefined && { apiKey: key }),
      });
      return imagesBehindResults(provider(model));
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL, fetch, apiKey: key ?? NO_KEY })(model);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle({ baseURL, fetch, apiKey: key ?? NO_KEY })(model);
    }
  }
}

type Prompt = Parameters<AgentModel["doStream"]>[0]["prompt"];
type Message = Prompt[number];
type Result = Extract<Extract<Message, { role: "tool" }>["content"][number], { type: "tool-result" }>;
type Block = Extract<Result["output"], { type: "content" }>["value"][number];
type File = Extract<Block, { type: "file" }>;

/**
 * Moves images of results into a following user message, because chat completions accept only that. Images as
 * text would fill the context.
 */
function imagesBehindResults(model: AgentModel): AgentModel {
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
      return { type: "text", text: `(image ${images.length}: see the next message)` };
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
