/** Whom the rules are about: each way of a provider to be told the parameters of a tool. */
export type Provider =
  | "openai-strict"
  | "openai"
  | "anthropic-strict"
  | "anthropic"
  | "gemini"
  | "gemini-openapi";

/** What each of them means. */
export const PROVIDERS: Readonly<Record<Provider, string>> = {
  "openai-strict": "OpenAI, function tools with `strict: true`",
  openai: "OpenAI, function tools with `strict: false`",
  "anthropic-strict": "Anthropic, tools with `strict: true`",
  anthropic: "Anthropic, tools without `strict`",
  gemini: "Gemini, `parametersJsonSchema` of a function declaration",
  "gemini-openapi": "Gemini, `parameters` of a function declaration, a subset of OpenAPI",
};

/** Where a rule is from, and when it was read there. */
export interface RuleSource {
  url: string;
  /** The provider's documentation, the code of its own SDK, or an error of its API that somebody published. */
  kind: "documentation" | "sdk" | "error";
  /** The day it was read, or that of the error. */
  date: string;
}

/** All sources of rules. One that is not here has no rule: what nobody wrote down is not guessed. */
export const SOURCES = {
  openaiStructured: {
    url: "https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas",
    kind: "documentation",
    date: "2026-11-23",
  },
  openaiStrictFunctions: {
    url: "https://developers.openai.com/api/docs/guides/function-calling#strict-mode",
    kind: "documentation",
    date: "2026-11-23",
  },
  openaiFunction: {
    url: "https://github.com/openai/openai-node/blob/v6.49.0/src/resources/shared.ts",
    kind: "sdk",
    date: "2026-11-23",
  },
  openaiTransform: {
    url: "https://github.com/openai/openai-node/blob/v6.49.0/src/lib/transform.ts",
    kind: "sdk",
    date: "2026-11-23",
  },
  openaiRoot: {
    url: "https://github.com/langchain-ai/langchainjs/issues/9804",
    kind: "error",
    date: "2026-11-23",
  },
  openaiOneOf: {
    url: "https://github.com/can1357/oh-my-pi/issues/920",
    kind: "error",
    date: "2026-05-02",
  },
  openaiItems: {
    url: "https://github.com/meilisearch/meilisearch-mcp/issues/27",
    kind: "error",
    date: "2025-06-05",
  },
  openaiDescription: {
    url: "https://github.com/getsentry/sentry-mcp/issues/106",
    kind: "error",
    date: "2025-04-25",
  },
  anthropicStructured: {
    url: "https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations",
    kind: "documentation",
    date: "2026-11-23",
  },
  anthropicTools: {
    url: "https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools",
    kind: "documentation",
    date: "2026-11-23",
  },
  anthropicRoot: {
    url: "https://github.com/anthropics/claude-code/issues/40075",
    kind: "error",
    date: "2026-03-28",
  },
  anthropicKeys: {
    url: "https://github.com/anthropics/claude-code/issues/79418",
    kind: "error",
    date: "2026-08-17",
  },
  geminiDeclaration: {
    url: "https://googleapis.github.io/js-genai/release_docs/interfaces/types.FunctionDeclaration.html",
    kind: "documentation",
    date: "2026-11-23",
  },
  geminiJsonSchema: {
    url: "https://googleapis.github.io/js-genai/release_docs/interfaces/types.GenerateContentConfig.html#responsejsonschema",
    kind: "documentation",
    date: "2026-11-23",
  },
  geminiSchema: {
    url: "https://googleapis.github.io/js-genai/release_docs/interfaces/types.Schema.html",
    kind: "documentation",
    date: "2026-11-23",
  },
  geminiUnknownField: {
    url: "https://github.com/zed-extensions/mcp-server-brave-search/issues/12",
    kind: "error",
    date: "2025-11-20",
  },
  geminiEnum: {
    url: "https://github.com/cortexkit/antigravity-auth/issues/17",
    kind: "error",
    date: "2026-09-15",
  },
} as const satisfies Readonly<Record<string, RuleSource>>;

export type SourceName = keyof typeof SOURCES;
