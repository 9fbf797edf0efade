import type { AgentId } from "../contract/payload.ts";
import type { HookTrust } from "./codex-trust.ts";
import type { HookEntry } from "./hook-entry.ts";
import type { PathDenials } from "./native/path-denials.ts";

export interface SettingsLocation {
  home: string;
  /** The folder of a project, where its settings are meant and not those of the user. Absolute. */
  project?: string;
  /** Folders that variables name instead of those in the home folder: `CODEX_HOME`. */
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

/** How one agent is told of the guard: texts in, texts out, and nothing is read or written. */
export interface AgentSettings {
  id: AgentId;
  /** The file that is changed. Absolute. */
  file(place: SettingsLocation): string;
  /**
   * Settings with the hook, and all else as it was; the same text when it is there already.
   *
   * @param text `undefined` where there is no file
   * @throws Error saying what is wrong with the settings, as a sentence without its end
   */
  install(text: string | undefined, line: HookEntry): string;
  /** Settings as they were; `undefined` where the file was the hook's alone. @throws as `install` */
  uninstall(text: string): string | undefined;
  /** The lines or modules of the guard that are in them. @throws as `install` */
  installed(text: string): string[];
  /** The guard's entries in them, whole, as values; of a module its text. @throws as `install` */
  entries(text: string): unknown[];
  /** Where it reads files that its hook is not asked about. {@link AgentSettings.install} keeps such rules, `uninstall` takes them out. */
  native?: NativeRules;
  /** What in these settings keeps the hook from being asked: sentences. */
  findDisablingSettings?(text: string): string[];
  /** Other files that say whether the hook is asked; they are read, and never changed. */
  relatedFiles?: {
    /** @param folder where the agent would be started. Absolute. */
    files(place: SettingsLocation, folder: string): string[];
    /** What in one of them keeps the hook from being asked: sentences. `undefined` where there is no file. @throws as `install` */
    problems(text: string | undefined): string[];
  };
  /** Whether the agent asks the hook, by what it wrote down when its user reviewed it. @param files the file of the settings, by each of its names */
  trust?(text: string, files: readonly string[]): HookTrust | undefined;
  /** A module in the agent's process, and no line that it starts. */
  isModule?: true;
  /** Files that the agent wants beside it: their texts by their names. They come and go with it. */
  companionFiles?: Readonly<Record<string, string>>;
  next?: string;
  /** What no setting closes: sentences. */
  open: readonly string[];
  /** Nobody has seen it work in the real agent yet. */
  untried?: true;
  /** A call that is denied under any policy: it would write this file. */
  forbidden(file: string, cwd: string): object;
  /** Whether the agent does not run a call whose hook ended like this. */
  blocks(outcome: HookOutcome): boolean;
}
