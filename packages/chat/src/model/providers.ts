/** The API of an endpoint: OpenAI's chat completions, Anthropic's messages or Google's generateContent. */
export type ModelApi = "openai" | "anthropic" | "google";

/** A named endpoint. */
export interface Provider {
  /** API of the endpoint. Default: `openai`. */
  api?: ModelApi;
  /**
   * Address of the endpoint. An address without a path gets `/v1`, or `/v1beta` for Google. Default: the service of the
   * provider's name.
   */
  baseUrl?: string;
  /** Name of the environment variable with the key. Without one, requests have no key. */
  keyEnv?: string;
}

interface Service {
  baseUrl: string;
  /** Variables that may name another address, as its own programs read them. */
  baseEnv: readonly string[];
  /** Variables that may have the key, the first that is set. */
  keyEnv: readonly string[];
  model: string;
  /** What an address without a path gets. */
  path: string;
}

/** The services that need no settings but a key, in the order in which one is looked for. */
export const SERVICES: Readonly<Record<ModelApi, Service>> = {
  anthropic: {
    baseUrl: "https://api.anthropic.com/v1",
    baseEnv: ["ANTHROPIC_BASE_URL"],
    keyEnv: ["ANTHROPIC_API_KEY"],
    model: "claude-haiku-4-5",
    path: "/v1",
  },
  openai: {
    baseUrl: "https://api.openai.com/v1",
    baseEnv: ["OPENAI_BASE_URL"],
    keyEnv: ["OPENAI_API_KEY"],
    model: "gpt-5-mini",
    path: "/v1",
  },
  google: {
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    baseEnv: ["GOOGLE_GEMINI_BASE_URL"],
    keyEnv: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
    model: "gemini-2.5-flash",
    path: "/v1beta",
  },
};

export function isModelApi(name: string): name is ModelApi {
  return Object.hasOwn(SERVICES, name);
}
