import type { ToolEffect } from "@haft/core";
import type { AgentId, GuardPayload } from "./payload.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Contains the exact output of a hook.
 *
 * @example
 * ```ts
 * import { getAgent, type HookAnswer } from "@haft/guard";
 * const answer: HookAnswer = getAgent("claude").answer({ effect: "deny", reason: "Not here." }, "PreToolUse");
 * process.stdout.write(answer.stdout);
 * process.exitCode = answer.exitCode;
 * ```
 */
export interface HookAnswer {
  /** Contains the standard output. */
  stdout: string;
  /** Contains the standard error, for a person, or for the model if the agent forwards it. */
  stderr: string;
  /** Sets the exit code. Agents treat 1 as a failed hook and run the call. */
  exitCode: 0 | 2;
}

export interface ReadContext {
  /** Set for payloads that do not name the event. */
  event?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** The folder of the hook, for payloads without one. */
  cwd: string;
}

/**
 * Reads payloads of an agent and formats the answers of its hooks.
 *
 * @example
 * ```ts
 * import { getAgent } from "@haft/guard";
 * const claude = getAgent("claude");
 * const { calls } = claude.read(
 *   { hook_event_name: "PreToolUse", session_id: "1", cwd: "/srv/project", tool_name: "Bash", tool_input: { command: "ls" } },
 *   { env: process.env, cwd: "/srv/project" },
 * );
 * ```
 */
export interface GuardAgent {
  /** Names the agent for programs. */
  id: AgentId;
  /** Names the agent for people. */
  label: string;
  /** Maps the agent's tools without a counterpart in Haft to their effects. */
  clientTools: Readonly<Record<string, readonly ToolEffect[]>>;
  /** Is set if the agent never asks about input to a running command. */
  hasUnreviewedStdin?: true;
  /**
   * Reads a payload.
   *
   * @throws HaftError `GUARD_PAYLOAD` if Haft does not understand a call
   */
  read(payload: unknown, context: ReadContext): GuardPayload;
  /** Returns whether the agent shows `ask` to a person. Else it gets a denial with an approval id. */
  asks(payload: Pick<GuardPayload, "attended" | "event">): boolean;
  /** Returns the output for a verdict. It never throws. */
  answer(verdict: Verdict, event: string): HookAnswer;
}
