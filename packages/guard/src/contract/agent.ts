import type { ToolEffect } from "@haft/core";
import type { AgentId, GuardPayload } from "./payload.ts";
import type { Verdict } from "./verdict.ts";

/**
 * The exact output of the process of a hook.
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
  /** Its standard output, to be written at once. */
  stdout: string;
  /** Its standard error, for a person, or for the model of an agent that passes it on. */
  stderr: string;
  /** Its exit code. It is never 1: agents take 1 for a hook that failed, and run the call. */
  exitCode: 0 | 2;
}

/** Facts in addition to a payload. */
export interface ReadContext {
  /** The event that the settings name, because some payloads do not name theirs. */
  event?: string | undefined;
  /** The environment of the hook. */
  env: Readonly<Record<string, string | undefined>>;
  /** The folder of the hook, for payloads that name none. */
  cwd: string;
}

/**
 * A coding agent: how its payloads are read, and what its hooks answer.
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
  /** Its name on a command line. */
  id: AgentId;
  /** Its name for people. */
  label: string;
  /**
   * The effects of its tools that Haft has no counterpart for, by the agent's names for them. Tools without effects do bookkeeping.
   */
  clientTools: Readonly<Record<string, readonly ToolEffect[]>>;
  /** Set if the agent never asks about input to a running command. */
  hasUnreviewedStdin?: true;
  /**
   * Reads a payload.
   *
   * @param payload Any parsed JSON.
   * @throws HaftError `GUARD_PAYLOAD` when it is about a call that cannot be understood
   */
  read(payload: unknown, context: ReadContext): GuardPayload;
  /**
   * Returns whether `ask` reaches a person through the prompt of the agent. Otherwise the answer is a denial with an approval id.
   */
  asks(payload: Pick<GuardPayload, "attended" | "event">): boolean;
  /** Returns what the process of the hook writes for a verdict. It never throws. */
  answer(verdict: Verdict, event: string): HookAnswer;
}
