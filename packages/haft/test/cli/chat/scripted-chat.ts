import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Script, type Turn, scriptTurns } from "../../../../../scripts/lib/scripted-model/script.ts";
import { startScriptedModel } from "../../../../../scripts/lib/scripted-model/scripted-model.ts";
import { haftHere } from "../../support/haft.ts";

/** A model on this machine that says these turns, and the options by which a chat talks with it. */
export async function openScriptedChat(turns: readonly Turn[] | Script) {
  const endpoint = await startScriptedModel(typeof turns === "function" ? turns : scriptTurns(turns));
  onTestFinished(() => endpoint.close());
  return { endpoint, options: ["--base-url", endpoint.url, "--model", "openai/scripted"] };
}

/** Any other server in place of a model. Answers where it is. */
export async function endpoint(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A command that goes on, and whether it still does, wherever it runs. */
export function createEndlessCommand() {
  const marker = `600.${Math.floor(Math.random() * 1e9)}`;
  return {
    command: `echo begun; touch begun; sleep ${marker}`,
    hasEnded: () => !execFileSync("ps", ["-A", "-o", "args"], { encoding: "utf8" }).includes(marker),
  };
}

export const exec = (command: string) => ({ name: "exec", arguments: { command } });
export const bash = (command: string) => ({ name: "bash", arguments: { command } });
export const write = (path: string, content: string) => ({ name: "write", arguments: { path, content } });

/** What is on the screen: without colours, and without lines that were taken away. */
export function renderScreen(output: string): string {
  // oxlint-disable no-control-regex -- of a terminal
  return output
    .replaceAll(/[^\n]*\r\u001b\[K/g, "")
    .replaceAll(/\u001b\[[0-?]*[a-zA-Z]/g, "")
    .replaceAll("\r", "");
  // oxlint-enable no-control-regex
}

/** Options by which nothing but the table of sessions decides about commands. */
export function hostOptions(cwd: string): string[] {
  const file = join(cwd, "rules.yaml");
  writeFileSync(file, "exec: {}\n");
  return ["--policy", file];
}

/** An environment without the keys of services. */
export const NO_KEYS = {
  ANTHROPIC_API_KEY: "",
  OPENAI_API_KEY: "",
  GEMINI_API_KEY: "",
  GOOGLE_API_KEY: "",
  GOOGLE_GENERATIVE_AI_API_KEY: "",
};

/** One answer of `haft chat` to what the arguments say, with no key of a service in its environment. */
export const chat = async (
  cwd: string,
  turns: Parameters<typeof openScriptedChat>[0],
  args: readonly string[],
  env = {},
) => {
  const { endpoint, options } = await openScriptedChat(turns);
  const run = await haftHere(["chat", ...options, ...args], { cwd, env: { ...NO_KEYS, ...env } });
  return { ...run, endpoint };
};
