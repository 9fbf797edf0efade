import type { ModelRequest, OfferedTool, ScriptedCall } from "../scripted-model/script.ts";
import type { PrintedConfig } from "./printed-config.ts";

/** Where Haft's own files are: a configuration with the rules of the task, and what is kept. */
export interface HaftFiles {
  config: string;
  state: string;
}

/** A coding agent of somebody else, as it is installed and started here. */
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
  /** What it needs to ask the scripted model, by paths in its home folder. */
  files?(model: string): Readonly<Record<string, string>>;
  env(model: string, haft: HaftFiles): Readonly<Record<string, string>>;
  /** Arguments that make it do one task and end, beside those of its printed `start`. */
  headless(prompt: string): readonly string[];
  /** How its model calls a tool of Haft. */
  toToolCall: (tool: string) => Pick<ScriptedCall, "name" | "namespace">;
  /** Whether an offered tool is one of Haft's. */
  isHaft(tool: OfferedTool): boolean;
  /** Tools of its own for files and commands: none may be offered once what is printed was done. */
  builtInTools: readonly string[];
  /** Those that cannot be taken away, and why nothing is lost by it. */
  keeps?: Readonly<Record<string, string>>;
  /** Where the tools of a server are not offered at once, for some models: the call by which the model looks for them. */
  search?: ScriptedCall;
  /** A call of a tool of its own that would write the file. */
  builtInWrite(path: string): ScriptedCall;
  /** Whether its model gets images of results. */
  images: boolean;
  /** What its model gets of 30,000 characters, where that is not all of them. */
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
