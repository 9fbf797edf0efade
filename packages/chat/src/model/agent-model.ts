import type { LanguageModel } from "ai";

/** A model of a provider of the AI SDK: not the name of one, which would be asked of a gateway. */
export type AgentModel = Extract<Exclude<LanguageModel, string>, { specificationVersion: "v4" }>;
