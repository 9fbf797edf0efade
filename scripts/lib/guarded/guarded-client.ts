import type { Client } from "../clients/client.ts";
import type { ScriptedCall } from "../scripted-model/script.ts";

/** What the model of every client tries, in this order. */
export const GUARDED_TOOLS = ["read", "shell", "edit", "mcp", "subagent"] as const;
export type GuardedTool = (typeof GUARDED_TOOLS)[number];

/** How a client is tried with the guard in its settings. */
export interface GuardedClient {
  /** On the command line. */
  name: string;
  /** In tables. */
  title: string;
  client: Client;
  /** The file that `haft guard install` changes, in the home folder. */
  settings: string;
  /** The guard is a module in its process, and no line that it starts. */
  isModule?: true;
  /** Arguments by which it asks nobody, so that nothing but the hook holds a call. */
  free: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** What it needs to ask the scripted model, and to have the server. Paths are in the home folder. */
  files: (model: string, server: readonly [program: string, ...args: string[]], project: string) => Files;
  /** What a person has to type once the guard is installed. */
  enables?: readonly string[];
  /** It runs tools through another tool, and asks about both. */
  asksTwice?: readonly GuardedTool[];
  /** What of it has to run beside the command that is played, and what it says when it is ready. */
  companion?: { args: readonly string[]; ready: RegExp };
  /** A call that runs a command, by the client's own tool. */
  shell: (command: string) => ScriptedCall;
  /** The calls by which each is tried, or why it cannot be. */
  tools: Readonly<Record<GuardedTool, ToolTrial | string>>;
  /** How its own prompt is answered at a terminal, where it has one for what the guard asks. */
  attended?: {
    /** On the screen once it waits for an answer. */
    asks: RegExp;
    /** What is typed. */
    yes: string;
    no: string;
    /** On the screen when it is over after a no, where its model is not told anything. */
    over?: RegExp;
  };
  /** Cases that it is not tried in, and why. */
  skips?: Readonly<Record<string, string>>;
  /** It does not show its model what a hook says beside a broken answer. */
  hidesFailures?: true;
}

type Files = Readonly<Record<string, string>>;

/** How one tool is tried. */
export interface ToolTrial {
  /** What the model calls before, where it has to: it is not looked at. */
  before?: ScriptedCall;
  /** The call that is looked at. */
  call: (place: TrialPaths) => ScriptedCall;
  /** What it calls afterwards, going by what it was told. */
  after?: (told: string) => ScriptedCall | undefined;
}

export interface TrialPaths {
  project: string;
  /** In the project: it says {@link BEFORE}, and is read and edited. */
  file: string;
  /** What a subagent is told to do. */
  prompt: string;
}

/** Texts that nothing else has in it. */
export const BEFORE = "before 7f3a";
export const AFTER = "after 91bc";
/** The name of the server that has one tool, which writes a file. */
export const SERVER = "probe";
/** The name of its tool. */
export const SERVER_TOOL = "touch";
