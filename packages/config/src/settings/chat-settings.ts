import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import type { EnvironmentReference } from "./secret-text.ts";

/** An endpoint of models, by a name of one's own. */
export interface ChatProvider {
  /** What it speaks: `openai` (chat completions, the default), `anthropic` (messages) or `google` (generateContent). */
  api?: "openai" | "anthropic" | "google";
  /** Its address. One without a path gets the usual one: `/v1`, of Google `/v1beta`. */
  baseUrl: string;
  /** The variable that has its key. Without one it gets none. */
  key?: EnvironmentReference;
}

/** What `haft chat` begins with. */
export interface ChatSettings {
  /** `provider/model`; default: `model.name`, else a model of the service whose key is set. */
  model?: string;
  /** Further providers, beside openai, anthropic and google. */
  providers?: Readonly<Record<string, ChatProvider>>;
  /** Answers of the model to one thing that is said. Default 50. */
  maxSteps?: number;
  /** Seconds the model may say nothing. Default 120. */
  timeoutSeconds?: number;
  /** Whether conversations are kept. Default: true. */
  keep?: boolean;
}

const NAME: OptionSchema = { type: "string", minLength: 1 };

/** What {@link ChatSettings} may be. */
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
            description: "The variable that has its key: { env: NAME }. Without one it gets none.",
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
      description: "Seconds the model may say nothing. Default 120.",
    },
    keep: { type: "boolean", description: "Whether conversations are kept. Default true." },
  }),
  description: "What haft chat begins with: the model, its endpoint, and whether conversations are kept.",
};
