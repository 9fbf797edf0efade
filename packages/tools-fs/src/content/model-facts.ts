import type { ModelFacts, ToolContext } from "@haft/plugin-sdk";

const ANY_MODEL: ModelFacts = { name: "", contextTokens: 128_000, images: true };

const LEAST_BYTES = 32 * 1024;
const MOST_BYTES = 128 * 1024;
const BYTES_PER_TOKEN = 4;
const SHARE = 0.1;

export function getModelFacts(context: Partial<ToolContext> | undefined): ModelFacts {
  return context?.model ?? ANY_MODEL;
}

/** Returns a tenth of the context window, between 32 and 128 KiB. */
export function readBudget(model: ModelFacts): number {
  const bytes = Math.floor(model.contextTokens * BYTES_PER_TOKEN * SHARE);
  return Math.min(MOST_BYTES, Math.max(LEAST_BYTES, bytes || 0));
}
