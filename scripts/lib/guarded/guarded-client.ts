import type { Client } from "../clients/client.ts";
import type { ScriptedCall } from "../scripted-model/script.ts";

/** The order in which every model tries tools. */
export const GUARDED_TOOLS = ["read", "shell", "edit", "mcp", "subagent"] as const;
export type GuardedTool = (typeof GUARDED_TOOLS)[number];

/** Describes a client's trial with the guard. */
export interface GuardedClient {
  name: string;
  title: string;
  client: Client;
  /** The home file that `haft guard install` changes. */
  settings: string;
  /** The guard is a module in its process instead of a command. */
  isModule?: true;
  /** Arguments that disable its own approvals, so that only the hook blocks calls. */
  free: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Home files that configure the scripted model and the server. */
  files: (model: string, server: readonly [program: string, ...args: string[]], project: string) => Files;
  /** A person's input after the installation. */
  enables?: readonly string[];
  /** It runs tools through another tool, and the hook decides about both. */
  asksTwice?: readonly GuardedTool[];
  /** A program that must run at the same time, and its ready message. */
  companion?: { args: readonly string[]; ready: RegExp };
  /** A call of the client's own command tool. */
  shell: (command: string) => ScriptedCall;
  /** The calls for each tool, or the reason for none. */
  tools: Readonly<Record<GuardedTool, ToolTrial | string>>;
  /** Answers to its own prompt about the guard's approvals, if any. */
  attended?: {
    /** The screen while it waits for an answer. */
    asks: RegExp;
    yes: string;
    no: string;
    /** The screen after a denial that its model does not receive. */
    over?: RegExp;
  };
  /** Omitted cases, with reasons. */
  skips?: Readonly<Record<string, string>>;
  /** It hides a hook's message with a broken answer from its model. */
  hidesFailures?: true;
}

type Files = Readonly<Record<string, string>>;

export interface ToolTrial {
  /** A required earlier call, which is not checked. */
  before?: ScriptedCall;
  /** The checked call. */
  call: (place: TrialPaths) => ScriptedCall;
  /** A later call, depending on the result. */
  after?: (told: string) => ScriptedCall | undefined;
}

export interface TrialPaths {
  project: string;
  /** A project file with {@link BEFORE}, for reading and editing. */
  file: string;
  /** The subagent's prompt. */
  prompt: string;
}

/** These texts occur in no other file. */
export const BEFORE = "before 7f3a";
export const AFTER = "after 91bc";
/** A server with one tool, which writes a file. */
export const SERVER = "probe";
export const SERVER_TOOL = "touch";
