import type { AgentId } from "../contract/payload.ts";
import type { HookTrust } from "./codex-trust.ts";
import type { HookEntry } from "./hook-entry.ts";
import type { PathDenials } from "./native/path-denials.ts";

/**
 * Whose settings of an agent are meant.
 *
 * @example
 * ```ts
 * import type { SettingsLocation } from "@haft/guard/internal/agents";
 * const ofProject: SettingsLocation = { home: "/home/me", project: "/srv/project", env: process.env };
 * ```
 */
export interface SettingsLocation {
  /** The absolute home folder of the user. */
  home: string;
  /** The absolute folder of a project, for its settings. Default: the settings of the user. */
  project?: string;
  /** The environment, for variables that replace folders of the home folder: `CODEX_HOME`. */
  env: Readonly<Record<string, string | undefined>>;
}

export interface HookOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Rules of an agent's own, for files that it reads without asking a hook. */
export interface NativeRules {
  /** What it would say, and sentences about what it cannot. */
  rulesFor(denials: PathDenials): { rules: string[]; notes: string[] };
  /** Settings with these rules and no others of the guard's; none: without any. @throws as {@link AgentSettings.install} */
  write(text: string, rules: readonly string[]): string;
  /** Those of the guard that are in settings; `undefined` where there are none. @throws as {@link AgentSettings.install} */
  read(text: string): string[] | undefined;
}

/**
 * How the guard is installed in the settings of one agent. Its functions convert texts; they read and write no files.
 *
 * @example
 * ```ts
 * import { readFileSync, writeFileSync } from "node:fs";
 * import { allSettings, createHookEntry } from "@haft/guard/internal/agents";
 * const settings = allSettings.get("claude")!;
 * const file = settings.file({ home: "/home/me", env: process.env });
 * writeFileSync(file, settings.install(readFileSync(file, "utf8"), createHookEntry({})));
 * ```
 */
export interface AgentSettings {
  /** The id of the agent. */
  id: AgentId;
  /** Returns the absolute path of the file that is changed. */
  file(place: SettingsLocation): string;
  /**
   * Returns the settings with the hook, and everything else as it was; the same text when the hook is already there.
   *
   * @param text The text of the file; `undefined` where there is none.
   * @throws Error with what is wrong with the settings, as a sentence without its end
   */
  install(text: string | undefined, line: HookEntry): string;
  /** Returns the settings without the hook; `undefined` where the file had nothing else. @throws as `install` */
  uninstall(text: string): string | undefined;
  /** Returns the command lines or modules of the guard in the settings. @throws as `install` */
  installed(text: string): string[];
  /** Returns the complete entries of the guard in the settings, as values; of a module its text. @throws as `install` */
  entries(text: string): unknown[];
  /**
   * Rules of the agent for files about which it does not ask its hook. `install` adds such rules, and `uninstall` removes them.
   */
  native?: NativeRules;
  /** Returns what in these settings keeps the agent from asking its hook, as sentences. */
  findDisablingSettings?(text: string): string[];
  /** Other files that decide whether the agent asks its hook. The guard reads them and never changes them. */
  relatedFiles?: {
    /** @param folder where the agent would be started. Absolute. */
    files(place: SettingsLocation, folder: string): string[];
    /** What in one of them keeps the hook from being asked: sentences. `undefined` where there is no file. @throws as `install` */
    problems(text: string | undefined): string[];
  };
  /**
   * Returns whether the agent trusts the hook, by its record of the user's review. @param files All paths of the settings file.
   */
  trust?(text: string, files: readonly string[]): HookTrust | undefined;
  /** Set if the guard is a module in the process of the agent, and no command. */
  isModule?: true;
  /** Files that the agent needs beside the module: their texts by their names. They are installed and removed with it. */
  companionFiles?: Readonly<Record<string, string>>;
  /** What a person does after the installation. */
  next?: string;
  /** What the guard cannot prevent in this agent, as sentences. */
  open: readonly string[];
  /** Set if the guard was not yet tested with the real agent. */
  untried?: true;
  /** Returns the payload of a call that every policy denies: it would write this file. */
  forbidden(file: string, cwd: string): object;
  /** Returns whether the agent does not run a call whose hook ended like this. */
  blocks(outcome: HookOutcome): boolean;
}
