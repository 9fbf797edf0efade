import type { AgentId } from "../contract/payload.ts";
import type { HookTrust } from "./codex-trust.ts";
import type { HookEntry } from "./hook-entry.ts";
import type { PathDenials } from "./native/path-denials.ts";

/**
 * Selects settings of an agent.
 *
 * @example
 * ```ts
 * import type { SettingsLocation } from "@haft/guard/internal/agents";
 * const ofProject: SettingsLocation = { home: "/home/me", project: "/srv/project", env: process.env };
 * ```
 */
export interface SettingsLocation {
  home: string;
  /** An absolute folder. Default: the settings of the user. */
  project?: string;
  /** Variables such as `CODEX_HOME` can replace folders. */
  env: Readonly<Record<string, string | undefined>>;
}

export interface HookOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The agent reads some files without asking a hook. */
export interface NativeRules {
  /** `notes`: denials that rules cannot express. */
  rulesFor(denials: PathDenials): { rules: string[]; notes: string[] };
  /** An empty list removes the rules. @throws as {@link AgentSettings.install} */
  write(text: string, rules: readonly string[]): string;
  /** Returns the guard's rules. @throws as {@link AgentSettings.install} */
  read(text: string): string[] | undefined;
}

/**
 * Installs the guard in an agent. Its functions convert texts and access no files.
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
  id: AgentId;
  /** Returns an absolute path. */
  file(location: SettingsLocation): string;
  /**
   * Returns the same text if the hook is already installed.
   *
   * @param text `undefined` without a file.
   * @throws Error as a sentence without a full stop
   */
  install(text: string | undefined, line: HookEntry): string;
  /** Returns `undefined` if the file had no other content. @throws as `install` */
  uninstall(text: string): string | undefined;
  /** Returns command lines or modules. @throws as `install` */
  installed(text: string): string[];
  /** Returns complete entries, or the text of a module. @throws as `install` */
  entries(text: string): unknown[];
  native?: NativeRules;
  /** Returns sentences about disabled hooks. */
  findDisablingSettings?(text: string): string[];
  /** These can disable the hook. The guard never changes them. */
  relatedFiles?: {
    /** @param folder The agent's absolute start folder. */
    files(location: SettingsLocation, folder: string): string[];
    /** Returns sentences. @param text `undefined` without a file. @throws as `install` */
    problems(text: string | undefined): string[];
  };
  /** Returns whether the user trusted the hook. @param files All paths of the settings file. */
  trust?(text: string, files: readonly string[]): HookTrust | undefined;
  /** The guard is a module of the agent. */
  isModule?: true;
  /** Additional texts by name. */
  companionFiles?: Readonly<Record<string, string>>;
  next?: string;
  /** Known gaps, as sentences. */
  open: readonly string[];
  /** Not tested with the real agent. */
  untried?: true;
  /** Returns the payload of a call that every policy denies. */
  forbidden(file: string, cwd: string): object;
  /** Returns whether the agent blocks the call then. */
  blocks(outcome: HookOutcome): boolean;
}
