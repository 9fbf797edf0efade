import { type AgentModel, openModel as openChatModel } from "@haft/chat";
import type { Script } from "../../../scripts/lib/scripted-model/script.ts";
import { startScriptedModel } from "../../../scripts/lib/scripted-model/scripted-model.ts";
import { repairScript, sandboxScript, talkScript, visitorScript } from "./scripts.ts";
import { UsageError } from "./usage.ts";

const SCRIPTS = { owner: repairScript, visitor: visitorScript, guest: sandboxScript, talker: talkScript };

/** The models of the conversations; `guest` works in the sandbox. A live model holds all of them. */
export interface DemoModel extends AsyncDisposable, Record<keyof typeof SCRIPTS, AgentModel> {
  kind: "scripted" | "live";
  /** For people: which model, and where. */
  name: string;
}

/** Takes the model that the environment names, or serves the scripted one. Close it when done. */
export async function openModel(
  mode: "auto" | "live" | "offline",
  env: NodeJS.ProcessEnv,
): Promise<DemoModel> {
  const name = mode === "offline" ? undefined : nameIn(env);
  if (name !== undefined) {
    const { model, where } = await openChatModel({ model: name }, env);
    const all = { owner: model, visitor: model, guest: model, talker: model };
    return { kind: "live", name: `${name} at ${where}`, ...all, async [Symbol.asyncDispose]() {} };
  }
  if (mode === "live")
    throw new UsageError(
      "--live needs OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY in the environment.",
    );
  const endpoint = await serveScripts(SCRIPTS);
  const open = async (script: keyof typeof SCRIPTS) =>
    (await openChatModel({ model: `openai/${script}`, baseUrl: endpoint.baseUrl }, {})).model;
  return {
    kind: "scripted",
    name: `a script, served at ${endpoint.baseUrl} (offline)`,
    owner: await open("owner"),
    visitor: await open("visitor"),
    guest: await open("guest"),
    talker: await open("talker"),
    [Symbol.asyncDispose]: endpoint[Symbol.asyncDispose],
  };
}

/** Serves `scripts` by model name on a free port of 127.0.0.1. Another model is an error of the API. */
export async function serveScripts(scripts: Readonly<Record<string, Script>>) {
  const { url, [Symbol.asyncDispose]: close } = await startScriptedModel((request) => {
    const script = Object.hasOwn(scripts, request.model) ? scripts[request.model] : undefined;
    if (script !== undefined) return script(request);
    throw new Error(`there is no model "${request.model}"; there are: ${Object.keys(scripts).join(", ")}.`);
  });
  return { baseUrl: `${url}/v1`, [Symbol.asyncDispose]: close };
}

function nameIn(env: NodeJS.ProcessEnv): string | undefined {
  const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL, ANTHROPIC_API_KEY, ANTHROPIC_MODEL } = env;
  if (OPENAI_BASE_URL && !OPENAI_MODEL)
    throw new UsageError("OPENAI_MODEL must name a model of OPENAI_BASE_URL.");
  if (OPENAI_API_KEY || OPENAI_BASE_URL) return `openai/${OPENAI_MODEL || "gpt-5-mini"}`;
  return ANTHROPIC_API_KEY ? `anthropic/${ANTHROPIC_MODEL || "claude-haiku-4-5"}` : undefined;
}
