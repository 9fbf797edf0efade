import { onTestFinished } from "vitest";
import type { DialectName, Script, Turn } from "../../../../scripts/lib/scripted-model/script.ts";
import { scriptTurns } from "../../../../scripts/lib/scripted-model/script.ts";
import { startScriptedModel } from "../../../../scripts/lib/scripted-model/scripted-model.ts";
import { openModel } from "../../src/index.ts";
import type { ModelApi } from "../../src/model/providers.ts";

/** What the scripted model calls the APIs that a chat speaks. */
export const APIS: Readonly<Record<ModelApi, DialectName>> = {
  openai: "openai-chat",
  anthropic: "anthropic",
  google: "gemini",
};

/** A model on this machine that says these turns, opened by one of the APIs. */
export async function openScriptedModel(turns: readonly Turn[] | Script, api: ModelApi = "openai") {
  const endpoint = await startScriptedModel(typeof turns === "function" ? turns : scriptTurns(turns));
  onTestFinished(() => endpoint.close());
  const { model } = await openModel({ model: `${api}/scripted`, baseUrl: endpoint.url }, {});
  return { endpoint, model };
}
