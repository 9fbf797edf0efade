import type { ToolEffect } from "@haft/core";
import type { AgentId, GuardPayload } from "./payload.ts";
import type { Verdict } from "./verdict.ts";

/** What a hook's process writes, to the byte. */
export interface HookAnswer {
  /** All of it, written at once. */
  stdout: string;
  /** For a person, or for the model where the agent tells it. */
  stderr: string;
  /** Never 1, which agents take for a hook that failed, and run the call. */
  exitCode: 0 | 2;
}

/** What is known beside the payload. */
export interface ReadContext {
  /** The event that the settings name; some payloads do not say theirs. */
  event?: string | undefined;
  /** Of the hook's process. */
  env: Readonly<Record<string, string | undefined>>;
  /** The folder of the hook's process, where a payload names none. */
  cwd: string;
}

/** One coding agent: how its payloads are read, and what its hooks have to answer. */
export interface GuardAgent {
  /** As it is called on a command line. */
  id: AgentId;
  /** As people call it. */
  label: string;
  /** What the agent calls its tools that are none of Haft's, and what those may do; nothing for bookkeeping of its own. */
  clientTools: Readonly<Record<string, readonly ToolEffect[]>>;
  /** Whether what is typed into a running command is never asked about. */
  hasUnreviewedStdin?: true;
  /**
   * Reads a payload.
   *
   * @param payload parsed JSON, whatever it is
   * @throws HaftError `GUARD_PAYLOAD` when it is about a call, and what the call is cannot be told
   */
  read(payload: unknown, context: ReadContext): GuardPayload;
  /** Whether `ask` reaches a person by the agent's own prompt. Elsewhere it is answered as a denial with an approval id. */
  asks(payload: Pick<GuardPayload, "attended" | "event">): boolean;
  /** What to write. Never throws. */
  answer(verdict: Verdict, event: string): HookAnswer;
}
