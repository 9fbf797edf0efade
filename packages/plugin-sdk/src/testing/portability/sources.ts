/** Names a model provider, and its way to pass parameters. */
export type Provider =
  | "openai-strict"
  | "openai"
  | "anthropic-strict"
  | "anthropic"
  | "gemini"
  | "gemini-openapi";

/** For people. */
export const PROVIDERS: Readonly<Record<Provider, string>> = {
  "openai-strict": "OpenAI, function tools with `strict: true`",
  openai: "OpenAI, function tools with `strict: false`",
  "anthropic-strict": "Anthropic, tools with `strict: true`",
  anthropic: "Anthropic, tools without `strict`",
  gemini: "Gemini, `parametersJsonSchema` of a function declaration",
  "gemini-openapi": "Gemini, `parameters` of a function declaration, a subset of OpenAPI",
};

/** Locates a rule. */
export interface RuleSource {
  url: string;
  /** The provider's documentation, its SDK, or a published error of its API. */
  kind: "documentation" | "sdk" | "error";
  /** The day of reading, or of the error. */
  date: string;
}

/** Documents and code were read on this day. */
const READ = "2026-11-23";
const source =
  (kind: RuleSource["kind"]) =>
  (url: string, date: string = READ) => ({ url, kind, date });
const documentation = source("documentation");
const sdk = source("sdk");
const error = source("error");

/** Rules need a published source. */
export const SOURCES = {
  openaiStructured: documentation(
    "https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas",
  ),
  openaiStrictFunctions: documentation(
    "https://developers.openai.com/api/docs/guides/function-calling#strict-mode",
  ),
  openaiFunction: sdk("https://github.com/openai/openai-node/blob/v6.49.0/src/resources/shared.ts"),
  openaiTransform: sdk("https://github.com/openai/openai-node/blob/v6.49.0/src/lib/transform.ts"),
  openaiRoot: error("https://github.com/langchain-ai/langchainjs/issues/9804"),
  openaiOneOf: error("https://github.com/can1357/oh-my-pi/issues/920", "2026-05-02"),
  openaiItems: error("https://github.com/meilisearch/meilisearch-mcp/issues/27", "2025-06-05"),
  openaiDescription: error("https://github.com/getsentry/sentry-mcp/issues/106", "2025-04-25"),
  anthropicStructured: documentation(
    "https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations",
  ),
  anthropicTools: documentation("https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools"),
  anthropicRoot: error("https://github.com/anthropics/claude-code/issues/40075", "2026-03-28"),
  anthropicKeys: error("https://github.com/anthropics/claude-code/issues/79418", "2026-08-17"),
  geminiDeclaration: documentation(
    "https://googleapis.github.io/js-genai/release_docs/interfaces/types.FunctionDeclaration.html",
  ),
  geminiJsonSchema: documentation(
    "https://googleapis.github.io/js-genai/release_docs/interfaces/types.GenerateContentConfig.html#responsejsonschema",
  ),
  geminiSchema: documentation(
    "https://googleapis.github.io/js-genai/release_docs/interfaces/types.Schema.html",
  ),
  geminiUnknownField: error(
    "https://github.com/zed-extensions/mcp-server-brave-search/issues/12",
    "2025-11-20",
  ),
  geminiEnum: error("https://github.com/cortexkit/antigravity-auth/issues/17", "2026-09-15"),
} satisfies Readonly<Record<string, RuleSource>>;

export type SourceName = keyof typeof SOURCES;
