import {
  getAgent,
  decide,
  type DecideContext,
  type GuardDecision,
  type GuardPayload,
  guardTools,
  type HookAnswer,
} from "@haft/guard";
import { createPolicy, type PolicyConfig } from "@haft/policy";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { findGuardSettings } from "../src/install/guard-settings.ts";

const folder = join(import.meta.dirname, "payloads");

/** Payloads as a version of an agent sends them, by what they are about. */
export const payloads = Object.fromEntries(
  readdirSync(folder).map((name) => {
    const agent = name.slice(0, name.indexOf("-"));
    return [agent, JSON.parse(readFileSync(join(folder, name), "utf8")) as Record<string, object>];
  }),
);

export interface AskOptions {
  env?: Record<string, string>;
  event?: string;
  approvals?: DecideContext["approvals"];
  notes?: readonly string[];
  root?: string;
  isHaftServer?: DecideContext["isHaftServer"];
  programs?: readonly string[];
}

function read(agent: string, payload: unknown, { env = {}, event }: AskOptions = {}): GuardPayload {
  return getAgent(agent).read(payload, { event, env, cwd: "/elsewhere" });
}

/** Decides about a payload under a policy, as a hook does. */
export async function ask(
  agent: string,
  payload: unknown,
  config: PolicyConfig,
  asked: AskOptions = {},
): Promise<GuardDecision & { answer: HookAnswer }> {
  const guard = getAgent(agent);
  const received = read(agent, payload, asked);
  const { approvals, env = {}, notes = [], root = "/home/ann/shop", isHaftServer } = asked;
  const { programs = ["/opt/node/bin/node"] } = asked;
  const decided = await decide(guard, received, {
    policy: createPolicy(config, { tools: guardTools(guard), partial: true, source: "policy.yaml" }),
    protectedPaths: {
      home: "/home/ann",
      haftPaths: ["/home/ann/.config/haft", "/srv/policy.yaml", "/home/ann/.local/state/haft"],
      secrets: ["serve", "inspect"].map((name) => `/home/ann/.local/state/haft/${name}`),
      programs,
      env,
      findSettings: async (folders) => findGuardSettings(folders, { home: "/home/ann", env }),
    },
    root,
    env: { HOME: "/home/ann", PATH: "/usr/bin:/bin" },
    notes,
    ...(approvals && { approvals }),
    ...(isHaftServer && { isHaftServer }),
  });
  return { ...decided, answer: guard.answer(decided.verdict, received.event) };
}

/** The effect of all of it, before an agent's own ways come in. */
export async function getOverallEffect(
  agent: string,
  payload: unknown,
  config: PolicyConfig,
  asked?: AskOptions,
) {
  return (await ask(agent, payload, config, asked)).judgement?.effect ?? "allow";
}

/** A payload of Claude about a command. */
export function line(command: string, cwd = "/home/ann/shop"): object {
  return { ...payloads["claude"]!["shell"], cwd, tool_input: { command } };
}

/** Payloads of Claude about a file. */
export const write = (path: string): object => ({
  ...payloads["claude"]!["write"],
  tool_input: { file_path: path, content: "" },
});
export const claudeRead = (path: string): object => ({
  ...payloads["claude"]!["read"],
  tool_input: { file_path: path },
});

/** Denied whatever the policy says, with a reason that offers no rule to change. */
export async function isAlwaysDenied(
  payload: object,
  agent = "claude",
  asked: AskOptions = {},
): Promise<boolean> {
  const { verdict } = await ask(agent, payload, {}, asked);
  if (verdict.effect === "allow") return false;
  expect(verdict.reason).toMatch(/^Haft denies this call: it would change .*, and no agent may do this/);
  return true;
}
