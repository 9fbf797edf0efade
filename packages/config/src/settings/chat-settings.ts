import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import type { EnvironmentReference } from "./secret-text.ts";

/**
 * Configures an endpoint of models. The key in `chat.providers` is its name.
 *
 * @example
 * ```ts
 * import type { ChatProvider } from "@haft/config";
 * const local: ChatProvider = { api: "openai", baseUrl: "http://127.0.0.1:11434", key: { env: "LOCAL_KEY" } };
 * ```
 */
export interface ChatProvider {
  /** Sets the protocol: `openai` (chat completions), `anthropic` (messages) or `google` (generateContent). Default `openai`. */
  api?: "openai" | "anthropic" | "google";
  /** Sets the URL. Without a path, it gets `/v1`, and for `google` `/v1beta`. */
  baseUrl: string;
  /** Names the variable with the key. Without it, no key is sent. */
  key?: EnvironmentReference;
}

/**
 * Sets defaults of `haft chat`.
 *
 * @example
 * ```ts
 * import type { ChatSettings } from "@haft/config";
 * const chat: ChatSettings = {
 *   model: "local/qwen3-coder",
 *   providers: { local: { baseUrl: "http://127.0.0.1:11434" } },
 *   maxSteps: 100,
 * };
 * ```
 */
export interface ChatSettings {
  /** Names the model: `provider/model`. Default: `model.name`, else a model of the service whose key is set. */
  model?: string;
  /** Adds providers to `openai`, `anthropic` and `google`. */
  providers?: Readonly<Record<string, ChatProvider>>;
  /** Limits the model's answers to one message. Default 50. */
  maxSteps?: number;
  /** Limits the seconds without output before a request fails. Default 120. */
  timeoutSeconds?: number;
  /** Stores conversations. Default true. */
  keep?: boolean;
}

const NAME: OptionSchema = { type: "string", minLength: 1 };

export const CHAT: OptionSchema = {
  ...optionsSchema<ChatSettings>({
    model: { type: "string", pattern: "^[^/]+/.+$", description: "As provider/model." },
    providers: {
      type: "object",
      additionalProperties: optionsSchema<ChatProvider>(
        {
          api: {
            enum: ["openai", "anthropic", "google"],
            description: "What it speaks: openai (chat completions, the default), anthropic or google.",
          },
          baseUrl: { ...NAME, description: "Its address; one without a path gets /v1, of Google /v1beta." },
          key: {
            ...optionsSchema<EnvironmentReference>(
              { env: { ...NAME, description: "Name of the variable." } },
              ["env"],
            ),
            description: "The variable with its key: { env: NAME }. Without it, no key is sent.",
          },
        },
        ["baseUrl"],
      ),
      description: "Further endpoints of models, by their names.",
    },
    maxSteps: { type: "integer", minimum: 1, description: "Answers of the model to one thing. Default 50." },
    timeoutSeconds: {
      type: "integer",
      minimum: 1,
      description: "Limits the seconds without output of the model. Default 120.",
    },
    keep: { type: "boolean", description: "Whether conversations are stored. Default true." },
  }),
  description: "Defaults of haft chat: the model, its endpoint, and whether conversations are stored.",
};
