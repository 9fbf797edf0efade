/** Lists the ids of coding agents. `agents:` of a policy matches these ids. */
export type AgentId = "claude" | "codex" | "gemini" | "copilot" | "cursor" | "opencode" | "pi" | "openclaw";

/**
 * Describes one action of a call as the rules of Haft know it.
 *
 * @example
 * ```ts
 * import type { GuardCall } from "@haft/guard";
 * const call: GuardCall = { kind: "command", text: "npm test", cwd: "/srv/project", shell: "bash" };
 * ```
 */
export type GuardCall =
  | {
      kind: "command";
      /** Contains the line. */
      text: string;
      /** Names the absolute folder; links are not resolved. */
      cwd: string;
      /** Names the shell, if known: `bash`, `powershell`. */
      shell: string;
    }
  | {
      kind: "files";
      tool: "read" | "write" | "edit" | "apply_patch" | "ls" | "find" | "grep";
      /** Contains absolute paths, and paths below `~`, for each meaning of a path; links are not resolved. Can be empty. */
      paths: readonly string[];
      /** Is set for everything below the paths. */
      recursive?: true;
    }
  | {
      kind: "fetch";
      /** Contains the URLs of the arguments. */
      urls: readonly string[];
    }
  | {
      kind: "mcp";
      /** Names the server as the agent does. Can be empty. */
      server: string;
      tool: string;
      args: unknown;
      /** Is set if the name has several readings. The action can then deny a call but not allow it. */
      guessed?: true;
    }
  | {
      /** Marks a tool without a counterpart in Haft: `Agent`, `Skill`. */
      kind: "client";
      name: string;
      args: unknown;
    }
  | {
      /** Marks an unknown tool. */
      kind: "unknown";
      name: string;
      args: unknown;
    };

/**
 * Describes the call that an agent wants to make.
 *
 * @example
 * ```ts
 * import { getAgent, type GuardPayload } from "@haft/guard";
 * declare const json: unknown;
 * const payload: GuardPayload = getAgent("codex").read(json, { env: process.env, cwd: process.cwd() });
 * console.log(payload.toolName, payload.calls.map(({ kind }) => kind));
 * ```
 */
export interface GuardPayload {
  /** Identifies the agent. */
  agent: AgentId;
  /** Names the event: `PreToolUse`. */
  event: string;
  /** Names the tool as the agent does. Can be empty. */
  toolName: string;
  /** Contains the arguments as received. */
  toolInput: unknown;
  /** Contains the actions of the call. The guard allows events without a call. */
  calls: readonly GuardCall[];
  /** Identifies the conversation: `claude:6f1c…`. */
  sessionKey: string;
  /** Names the absolute folder for relative paths. */
  cwd: string;
  /** Is true if a person can answer the agent's prompt. `false` if unknown. */
  attended: boolean;
  /** Names the model, if the agent does. */
  model?: string;
  /** Names the calling subagent. */
  subagent?: string;
}
