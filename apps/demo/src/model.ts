import { type AgentModel, openModel as openChatModel } from "@haft/chat";
import { startScriptedEndpoint } from "./scripted/endpoint.ts";
import { repairScript } from "./scripted/repair-script.ts";
import { sandboxScript } from "./scripted/sandbox-script.ts";
import { talkScript } from "./scripted/talk-script.ts";
import { visitorScript } from "./scripted/visitor-script.ts";
import { UsageError } from "./usage.ts";

/** The models of the conversations. Live, all are the same. */
export interface DemoModel extends AsyncDisposable {
  kind: "scripted" | "openai-compatible" | "anthropic";
  /** For people: which model, and where. */
  name: string;
  owner: AgentModel;
  visitor: AgentModel;
  /** Works in the sandbox. */
  guest: AgentModel;
  /** Answers twice, and remembers. */
  talker: AgentModel;
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
    talker: talkScript,
  });
  const chatModel = (name: string) => openAiModel(name, { OPENAI_BASE_URL: endpoint.baseUrl });
  return {
    kind: "scripted",
    name: `a script, served at ${endpoint.baseUrl} (offline)`,
    owner: await chatModel("owner"),
    visitor: await chatModel("visitor"),
    guest: await chatModel("guest"),
    talker: await chatModel("talker"),
    [Symbol.asyncDispose]: () => endpoint.close(),
  };
}

async function openOpenAi(env: NodeJS.ProcessEnv): Promise<DemoModel> {
  const baseUrl = env["OPENAI_BASE_URL"] || OPENAI_URL;
  if (!URL.canParse(baseUrl)) throw new UsageError(`OPENAI_BASE_URL is not a URL: ${baseUrl}.`);
  const name = env["OPENAI_MODEL"] || (baseUrl === OPENAI_URL ? "gpt-5-mini" : undefined);
  if (name === undefined) throw new UsageError(`OPENAI_MODEL must name a model of OPENAI_BASE_URL.`);
  const model = await openAiModel(name, env);
  return live("openai-compatible", `${name} at ${new URL(baseUrl).host}`, model);
}

async function openAnthropic(env: NodeJS.ProcessEnv): Promise<DemoModel> {
  const name = env["ANTHROPIC_MODEL"] || "claude-haiku-4-5";
  const { model } = await openChatModel({ model: `anthropic/${name}` }, env);
  return live("anthropic", `${name} at Anthropic`, model);
}

async function openAiModel(name: string, env: NodeJS.ProcessEnv): Promise<AgentModel> {
  return (await openChatModel({ model: `openai/${name}` }, env)).model;
}

function live(kind: DemoModel["kind"], name: string, model: AgentModel): DemoModel {
  const all = { owner: model, visitor: model, guest: model, talker: model };
  return { kind, name, ...all, async [Symbol.asyncDispose]() {} };
}
