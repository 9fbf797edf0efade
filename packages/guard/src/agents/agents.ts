import type { GuardAgent } from "../contract/agent.ts";
import { guardError } from "../errors.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { openclaw } from "./openclaw.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";

/**
 * Contains all coding agents, by id.
 *
 * @example
 * ```ts run
 * import { agents } from "@haft/guard";
 * agents.has("claude"); // => true
 * ```
 */
export const agents: ReadonlyMap<string, GuardAgent> = new Map(
  [claude, codex, gemini, copilot, cursor, opencode, pi, openclaw].map((agent) => [agent.id, agent]),
);

/**
 * Returns a coding agent by its id.
 *
 * @throws HaftError `GUARD_AGENT_UNKNOWN`
 * @example
 * ```ts run
 * import { getAgent } from "@haft/guard";
 * getAgent("codex").id; // => "codex"
 * ```
 */
export function getAgent(name: string): GuardAgent {
  const agent = agents.get(name);
  if (agent !== undefined) return agent;
  throw guardError("GUARD_AGENT_UNKNOWN", `There is no agent ${JSON.stringify(name)}.`);
}
