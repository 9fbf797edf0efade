import type { LanguageModel } from "ai";
import { startScriptedEndpoint } from "./scripted/endpoint.ts";
import { repairScript } from "./scripted/repair-script.ts";
import { sandboxScript } from "./scripted/sandbox-script.ts";
import { visitorScript } from "./scripted/visitor-script.ts";
import { UsageError } from "./usage.ts";

/** The models of the conversations. Live, all are the same. */
export interface DemoModel extends AsyncDisposable {
  kind: "scripted" | "openai-compatible" | "anthropic";
  /** For people: which model, and where. */
  name: string;
  owner: LanguageModel;
  visitor: LanguageModel;
  /** Works in the sandbox. */
  guest: LanguageModel;
}

const OPENAI_URL = "https://api.openai.com/v1";

/** Takes the model the environment names, or serves the scripted one. Close it when done. */
export async function openModel(
  mode: "auto" | "live" | "offline",
  env: NodeJS.ProcessEnv,
): Promise<DemoModel> {
  const openai = env["OPENAI_API_KEY"] || env["OPENAI_BASE_URL"];
  if (mode !== "offline") {
    if (openai) return openOpenAi(env);
    if (env["ANTHROPIC_API_KEY"]) return openAnthropic(env);
  }
  if (mode === "live") {
    throw new UsageError(
      "--live needs OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY in the environment.",
    );
  }
  return openScripted();
}

async function openScripted(): Promise<DemoModel> {
  const endpoint = await startScriptedEndpoint({
    owner: repairScript,
    visitor: visitorScript,
    guest: sandboxScript,
  });
  const chatModel = await openAiModels(endpoint.baseUrl);
  return {
    kind: "scripted",
    name: `a script, served at ${endpoint.baseUrl} (offline)`,
    owner: chatModel("owner"),
    visitor: chatModel("visitor"),
    guest: chatModel("guest"),
    [Symbol.asyncDispose]: () => endpoint.close(),
  };
}

async function openOpenAi(env: NodeJS.ProcessEnv): Promise<DemoModel> {
  const baseUrl = env["OPENAI_BASE_URL"] || OPENAI_URL;
  if (!URL.canParse(baseUrl)) throw new UsageError(`OPENAI_BASE_URL is not a URL: ${baseUrl}.`);
  const name = env["OPENAI_MODEL"] || (baseUrl === OPENAI_URL ? "gpt-5-mini" : undefined);
  if (name === undefined) throw new UsageError(`OPENAI_MODEL must name a model of OPENAI_BASE_URL.`);
  const model = (await openAiModels(baseUrl, env["OPENAI_API_KEY"]))(name);
  return live("openai-compatible", `${name} at ${new URL(baseUrl).host}`, model);
}

async function openAnthropic(env: NodeJS.ProcessEnv): Promise<DemoModel> {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const name = env["ANTHROPIC_MODEL"] || "claude-haiku-4-5";
  return live("anthropic", `${name} at Anthropic`, createAnthropic()(name));
}

async function openAiModels(baseURL: string, apiKey?: string) {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({ name: "openai", baseURL, ...(apiKey ? { apiKey } : {}) });
}

function live(kind: DemoModel["kind"], name: string, model: LanguageModel): DemoModel {
  return { kind, name, owner: model, visitor: model, guest: model, async [Symbol.asyncDispose]() {} };
}
