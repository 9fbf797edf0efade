import type { LanguageModel } from "ai";

/**
 * Accepts a model object of the AI SDK. The AI SDK would send a model name to a gateway.
 *
 * @example
 * ```ts
 * import type { AgentModel } from "@haft/chat";
 * const describe = ({ provider, modelId }: AgentModel) => `${provider}/${modelId}`;
 * ```
 */
export type AgentModel = Extract<Exclude<LanguageModel, string>, { specificationVersion: "v4" }>;
