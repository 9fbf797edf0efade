/** The ids of coding agents. Their sessions have these as agent ids, so that `agents:` of a policy can name them. */
export type AgentId = "claude" | "codex" | "gemini" | "copilot" | "cursor" | "opencode" | "pi" | "openclaw";

/**
 * One action of a call of an agent, as the rules of Haft know it.
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
      /** The command line. */
      text: string;
      /** The absolute folder, with links. */
      cwd: string;
      /** The shell for it, if the agent names one: `bash`, `powershell`. */
      shell: string;
    }
  | {
      kind: "files";
      tool: "read" | "write" | "edit" | "apply_patch" | "ls" | "find" | "grep";
      /** Absolute paths, with links. Empty where the arguments have none. */
      paths: readonly string[];
      /** Set if everything below the paths is included. */
      recursive?: true;
    }
  | {
      kind: "fetch";
      /** The URLs as in the arguments. Empty where the arguments have none. */
      urls: readonly string[];
    }
  | {
      kind: "mcp";
      /** The agent's name of the server. Empty where it is not known. */
      server: string;
      tool: string;
      args: unknown;
      /** Set if the name has several readings, and this is one of them. It can deny a call, and allows none. */
      guessed?: true;
    }
  | {
      /** A tool of the agent without a counterpart in Haft: `Agent`, `Skill`. */
      kind: "client";
      name: string;
      args: unknown;
    }
  | {
      /** A tool that this version of Haft does not know. */
      kind: "unknown";
      name: string;
      args: unknown;
    };

/**
 * The question of a hook: the call that its agent wants to make.
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
  /** The agent. */
  agent: AgentId;
  /** The event, under the agent's name for it: `PreToolUse`. */
  event: string;
  /** The agent's name of the tool. Empty for events without a tool. */
  toolName: string;
  /** The arguments as received. */
  toolInput: unknown;
  /** The actions of the call. Empty for events without a call, which the guard allows. */
  calls: readonly GuardCall[];
  /** The key of the conversation, for later answers: `claude:6f1c…`. */
  sessionKey: string;
  /** The absolute folder at which relative paths start. */
  cwd: string;
  /** Whether a person can answer the prompt of the agent. `false` where that is not known. */
  attended: boolean;
  /** The model, if the agent names it. */
  model?: string;
  /** The name of the subagent that calls, if one does. */
  subagent?: string;
}
