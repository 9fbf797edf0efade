import type { ModelFacts, ToolContext } from "@haft/core";

/** Who reads the results when nobody says: a tool that brings its own workspace also runs without a session. */
const ANY_MODEL: ModelFacts = { name: "", contextTokens: 128_000, images: true };

export function modelOf(context: ToolContext | undefined): ModelFacts {
  return context?.model ?? ANY_MODEL;
}
