/** Names of the agents whose hooks ask. Sessions of theirs have these as agent ids, so `agents:` of a policy can name them. */
export type AgentId = "claude" | "codex" | "gemini" | "copilot" | "cursor" | "opencode" | "pi" | "openclaw";

/** One thing a call of an agent's tool would do, as Haft's rules know it. */
export type GuardCall =
  | {
      kind: "command";
      /** The command line. */
      text: string;
      /** Absolute, links not resolved. */
      cwd: string;
      /** The shell it is for, as far as the agent says: `bash`, `powershell`. */
      shell: string;
    }
  | {
      kind: "files";
      tool: "read" | "write" | "edit" | "apply_patch" | "ls" | "find" | "grep";
      /** Absolute, links not resolved. Empty where none could be found in the arguments. */
      paths: readonly string[];
      /** Everything below them, too. */
      recursive?: true;
    }
  | {
      kind: "fetch";
      /** As the arguments have them. Empty where none could be found. */
      urls: readonly string[];
    }
  | {
      kind: "mcp";
      /** As the agent calls it; empty where it does not say. */
      server: string;
      tool: string;
      args: unknown;
      /** Where the name can be read in several ways, this is one of them: it holds back, and nothing is let through by it. */
      guessed?: true;
    }
  | {
      /** A tool of the agent that is none of Haft's: `Agent`, `Skill`. */
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

/** What a hook was asked about. */
export interface GuardPayload {
  /** The agent whose hook was called. */
  agent: AgentId;
  /** As the agent calls it: `PreToolUse`. */
  event: string;
  /** The tool as the agent calls it; empty for events that are about none. */
  toolName: string;
  /** Its arguments as they came. */
  toolInput: unknown;
  /** What it would do: none for events that are about no call, which are answered without an opinion. */
  calls: readonly GuardCall[];
  /** The conversation, for answers that are given later: `claude:6f1c…`. */
  sessionKey: string;
  /** Absolute: where relative paths begin. */
  cwd: string;
  /** Somebody sits there and can be asked by the agent's own prompt. `false` where that cannot be told. */
  attended: boolean;
  /** The model, where the agent says it. */
  model?: string;
  /** Present where a subagent calls; its name. */
  subagent?: string;
}
