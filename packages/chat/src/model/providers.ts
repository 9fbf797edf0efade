/** What an endpoint speaks: chat completions of OpenAI, messages of Anthropic, or generateContent of Google. */
export type ModelApi = "openai" | "anthropic" | "google";

/** An endpoint that has a name. */
export interface Provider {
  /** What it speaks. Default: `openai`. */
  api?: ModelApi;
  /** Its address. One without a path gets the usual one: `/v1`, of Google `/v1beta`. Default: the service of that name. */
  baseUrl?: string;
  /** Name of the variable that has its key. Without one it gets none. */
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
