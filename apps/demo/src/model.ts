import { type AgentModel, openModel as openChatModel } from "@haft/chat";
import { startScriptedEndpoint } from "./scripted/endpoint.ts";
import { repairScript, sandboxScript, talkScript, visitorScript } from "./scripted/scripts.ts";
import type { DemoModel } from "./stage.ts";
import { UsageError } from "./usage.ts";

const SCRIPTS = { owner: repairScript, visitor: visitorScript, guest: sandboxScript, talker: talkScript };

/** Takes the model the environment names, or serves the scripted one. Close it when done. */
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
  const endpoint = await startScriptedEndpoint(SCRIPTS);
  const models = await Promise.all(
    Object.keys(SCRIPTS).map(async (script) => {
      const settings = { model: `openai/${script}`, baseUrl: endpoint.baseUrl };
      return [script, (await openChatModel(settings, {})).model] as const;
    }),
  );
  return {
    kind: "scripted",
    name: `a script, served at ${endpoint.baseUrl} (offline)`,
    ...(Object.fromEntries(models) as Record<keyof typeof SCRIPTS, AgentModel>),
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}

function nameIn(env: NodeJS.ProcessEnv): string | undefined {
  const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL, ANTHROPIC_API_KEY, ANTHROPIC_MODEL } = env;
  if (OPENAI_BASE_URL && !OPENAI_MODEL)
    throw new UsageError("OPENAI_MODEL must name a model of OPENAI_BASE_URL.");
  if (OPENAI_API_KEY || OPENAI_BASE_URL) return `openai/${OPENAI_MODEL || "gpt-5-mini"}`;
  return ANTHROPIC_API_KEY ? `anthropic/${ANTHROPIC_MODEL || "claude-haiku-4-5"}` : undefined;
}
