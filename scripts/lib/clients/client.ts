import type { ModelRequest, OfferedTool, ScriptedCall } from "../scripted-model/script.ts";
import type { PrintedConfig } from "./printed-config.ts";

/** The configuration with the task's rules, and the state folder. */
export interface HaftFiles {
  config: string;
  state: string;
}

/** Describes a third-party coding agent. */
export interface Client {
  /** As in `haft serve --print-config`, if listed there. */
  name: string;
  title: string;
  /** npm names and versions. */
  packages: readonly [string, ...string[]];
  bin: string;
  /** Configures Haft's tools if no printed configuration exists. */
  mount?(): PrintedConfig;
  /** Returns home files that select the scripted model. */
  files?(model: string): Readonly<Record<string, string>>;
  env(model: string, haft: HaftFiles): Readonly<Record<string, string>>;
  /** Returns a task's arguments after the printed `start`. */
  headless(prompt: string): readonly string[];
  /** Returns the model's call of a Haft tool. */
  toToolCall: (tool: string) => Pick<ScriptedCall, "name" | "namespace">;
  /** Returns whether an offered tool is Haft's. */
  isHaft(tool: OfferedTool): boolean;
  /** Built-in tools for files and commands, which the printed settings must remove. */
  builtInTools: readonly string[];
  /** Tools that cannot be removed, and why this is safe. */
  keeps?: Readonly<Record<string, string>>;
  /** The model's search for server tools, if they are not offered at once. */
  search?: ScriptedCall;
  /** A call of its own tool that would write the file. */
  builtInWrite(path: string): ScriptedCall;
  /** States whether its model gets images of results. */
  images: boolean;
  /** Matches the truncated text of 30,000 characters, if the client truncates. */
  cuts?: RegExp;
}

/** A client's trial result. */
export interface Played {
  problems: string[];
  facts: Record<string, string>;
}

/** A client's output and model requests. */
export interface ClientRun {
  output: string;
  requests: readonly ModelRequest[];
}

export function getClientVersion({ packages: [main] }: Client): string {
  return main.slice(main.lastIndexOf("@") + 1);
}
