/** Names the API of an endpoint: OpenAI's chat completions, Anthropic's messages or Google's generateContent. */
export type ModelApi = "openai" | "anthropic" | "google";

/** Describes an endpoint. */
export interface Provider {
  /** Selects the API. Default: `openai`. */
  api?: ModelApi;
  /** Sets the address. An address without a path gets `/v1`, or `/v1beta` for Google. Default: the service of the provider's name. */
  baseUrl?: string;
  /** Names the environment variable with the key. Without one, requests have no key. */
  keyEnv?: string;
}

interface Service {
  baseUrl: string;
  /** Other programs' address variables. */
  baseEnv: readonly string[];
  /** Key variables; the first set variable applies. */
  keyEnv: readonly string[];
  model: string;
  /** Appended to an address without a path. */
  path: string;
}

/** Services that need only a key, preferred first. */
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
