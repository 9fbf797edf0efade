import type { ModelRequest, OfferedTool, ScriptedCall } from "../scripted-model/script.ts";
import type { PrintedConfig } from "./printed-config.ts";

/** Names the configuration with the rules of the task, and the state folder. */
export interface HaftFiles {
  config: string;
  state: string;
}

/** Describes a third-party coding agent: its installation and its start. */
export interface Client {
  /** As `haft serve --print-config` has it, where it does. */
  name: string;
  title: string;
  /** Of npm: name and version. */
  packages: readonly [string, ...string[]];
  /** Its command. */
  bin: string;
  /** How it gets Haft's tools, where that is not printed. */
  mount?(): PrintedConfig;
  /** Returns the files in its home folder that point it to the scripted model. */
  files?(model: string): Readonly<Record<string, string>>;
  env(model: string, haft: HaftFiles): Readonly<Record<string, string>>;
  /** Returns the arguments for one task, in addition to the printed `start`. */
  headless(prompt: string): readonly string[];
  /** How its model calls a tool of Haft. */
  toToolCall: (tool: string) => Pick<ScriptedCall, "name" | "namespace">;
  /** Whether an offered tool is one of Haft's. */
  isHaft(tool: OfferedTool): boolean;
  /** Lists its built-in tools for files and commands. None may be offered with the printed settings. */
  builtInTools: readonly string[];
  /** Those that cannot be taken away, and why nothing is lost by it. */
  keeps?: Readonly<Record<string, string>>;
  /** Where the tools of a server are not offered at once, for some models: the call by which the model looks for them. */
  search?: ScriptedCall;
  /** A call of a tool of its own that would write the file. */
  builtInWrite(path: string): ScriptedCall;
  /** Whether its model gets images of results. */
  images: boolean;
  /** Matches the text that its model receives of 30,000 characters, if it truncates them. */
  cuts?: RegExp;
}

/** The result of a trial of one client. */
export interface Played {
  problems: string[];
  /** Observations by topic. */
  facts: Record<string, string>;
}

/** One run of a client: its output, and the requests its model got. */
export interface ClientRun {
  output: string;
  requests: readonly ModelRequest[];
}

/** The version that is tried. */
export function getClientVersion({ packages: [main] }: Client): string {
  return main.slice(main.lastIndexOf("@") + 1);
}
