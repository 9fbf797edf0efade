import type { LanguageModel } from "ai";

/**
 * Accepts a model object of the AI SDK. A model name is not accepted: the AI SDK would send it to a gateway.
 *
 * @example
 * ```ts
 * import type { AgentModel } from "@haft/chat";
 * const describe = ({ provider, modelId }: AgentModel) => `${provider}/${modelId}`;
 * ```
 */
export type AgentModel = Extract<Exclude<LanguageModel, string>, { specificationVersion: "v4" }>;
