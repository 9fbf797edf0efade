import type { ChatRequest } from "../../../../scripts/lib/scripted-model/chat-completion.ts";
import type { Turn } from "../../../../scripts/lib/scripted-model/script.ts";
import { startScriptedModel } from "../../../../scripts/lib/scripted-model/scripted-model.ts";

/** Decides what to say next from everything said so far. */
export type Script = (request: ChatRequest) => Turn | Promise<Turn>;

/** A chat completions endpoint whose models are functions. */
export interface ScriptedEndpoint extends AsyncDisposable {
  /** Ends in `/v1`, as clients expect it. */
  readonly baseUrl: string;
}

/** Serves `scripts` by model name on a free port of 127.0.0.1. A model that is not among them is an error of the API. */
export async function startScriptedEndpoint(
  scripts: Readonly<Record<string, Script>>,
): Promise<ScriptedEndpoint> {
  const served = await startScriptedModel(({ model, body }) => {
    const script = Object.hasOwn(scripts, model) ? scripts[model] : undefined;
    if (script !== undefined) return script(body as unknown as ChatRequest);
    throw new Error(`there is no model "${model}"; there are: ${Object.keys(scripts).join(", ")}.`);
  });
  return { baseUrl: `${served.url}/v1`, [Symbol.asyncDispose]: () => served.close() };
}
