import { attempt, readRegularFile } from "@haft/system";
import { dirname, join } from "node:path";
import { tryReadFolder } from "../../mounts/read-folder.ts";
import { readChangeStamp, entryExists, tryStatEntry } from "../../mounts/stats.ts";
import { hasOutsidePath } from "../git-index/read-index.ts";
import { listWorktrees } from "../git/repository.ts";
import { readSettingsFile, readSettingsText } from "../git/settings-file.ts";
import { readRegularBytes } from "../git/write/overwrite-settings.ts";
import type { QuarantineResult } from "../quarantine/quarantine.ts";
import type { CleaningContext, IsNew } from "./clean-repository.ts";

const FILES: readonly { name: string; why: string; isHarmless: (text: string) => boolean }[] = [
  ...["rebase-merge/strategy", "rebase-apply/strategy"].map((name) => ({
    name,
    why: "git would run a program of that name for the merge",
    isHarmless: (text: string) => STRATEGIES.test(text.trimEnd()),
  })),
  {
    name: "rebase-apply/apply-opt",
    why: "git would apply patches with options that can write to other files",
    isHarmless: (text) => APPLY_OPTIONS.test(text),
  },
  {
    name: "MERGE_RR",
    why: "git would store content of files outside, where commands can read it",
    isHarmless: (text) => text.split("\0").every((one) => one === "" || RESOLUTION.test(one)),
  },
  {
    name: "BISECT_NAMES",
    why: "git before 2.40 passes it to a shell",
    isHarmless: (text) => QUOTED.test(text),
  },
];
const STRATEGIES = /^(?:ort|recursive|resolve|octopus|ours|subtree)?$/;
const APPLY_OPTIONS =
  /^(?:\s*'(?:-[qv]|-[Cp]\d+|--(?:whitespace=\w[\w-]*|ignore-(?:space-change|whitespace)|reject|(?:exclude|include|directory)=(?!\/)(?:(?!\.\.)[^'])*))')*\s*$/;
const RESOLUTION = /^[0-9a-f]+(?:\.\d+)?\t(?!\/)(?!(?:[^]*\/)?\.\.(?:\/|$))[^]+$/;
const QUOTED = /^(?:\s*'(?:[^']|'\\['!]')*')*\s*$/;

/** Not `exec` and unknown commands. */
const STEP =
  /^\s*(?:$|[^A-Za-z\s]|noop\s*$|(?:break|b)\s*$|(?:pick|p|reword|r|edit|e|squash|s|fixup|f|drop|d|label|l|reset|t|merge|m|update-ref|u)\s)/;
const LARGEST_INDEX = 256 * 1024 * 1024;

/** Removes parts of unfinished work (rebase, merge, index) that would start programs or write outside. The user can continue the rest. */
export class GitState {
  readonly #cleaning: CleaningContext;
  readonly #isTouched: (path: string) => boolean;
  readonly #isNew: IsNew;
  readonly #indexes = new Map<string, string>();

  constructor(cleaning: CleaningContext, isTouched: (path: string) => boolean, isNew: IsNew) {
    this.#cleaning = cleaning;
    this.#isTouched = isTouched;
    this.#isNew = isNew;
  }

  async takeOut(common: string): Promise<QuarantineResult[]> {
    const out: QuarantineResult[] = [];
    for (const name of ["remotes", "branches"].flatMap((folder) =>
      tryReadFolder(join(common, folder)).map((entry) => join(folder, entry.name)),
    ))
      out.push(...this.#move(join(common, name), "git would use the address of a remote in it"));
    for (const folder of [common, ...listWorktrees(common)]) {
      for (const { name, why, isHarmless } of FILES) {
        const path = join(folder, name);
        const text = this.#textOf(path);
        if (text === "unread" || (text !== undefined && !isHarmless(text.is)))
          out.push(...this.#move(path, why));
      }
      out.push(...this.#steps(join(folder, "rebase-merge/git-rebase-todo")));
      out.push(...(await this.#options(join(folder, "sequencer/opts"))));
      for (const { name } of tryReadFolder(folder))
        if (name === "index" || name.startsWith("sharedindex."))
          out.push(...(await this.#index(join(folder, name), common)));
    }
    return out;
  }

  #steps(path: string): QuarantineResult[] {
    const text = this.#textOf(path);
    if (text === undefined) return [];
    if (text === "unread") return this.#move(path, "git rebase --continue could run any program by it");
    const lines = text.is.split("\n");
    const rest = lines.filter((line) => STEP.test(line));
    if (rest.length === lines.length) return [];
    const removed = lines.filter((line) => !STEP.test(line)).map((line) => JSON.stringify(line.slice(0, 80)));
    const named = `${removed.slice(0, 3).join(", ")}${removed.length > 3 ? ` and ${removed.length - 3} more` : ""}`;
    const why = `git rebase --continue would run these lines: ${named}`;
    return this.#cleaning.quarantine.replace(path, Buffer.from(rest.join("\n"), "latin1"), why);
  }

  async #options(path: string): Promise<QuarantineResult[]> {
    const text = this.#textOf(path);
    const { git } = this.#cleaning;
    if (text === undefined) return [];
    const settings =
      text === "unread" ? undefined : git && (await readSettingsText(git, Buffer.from(text.is, "latin1")));
    const isHarmless = settings?.get("options.strategy")?.every((one) => STRATEGIES.test(one)) ?? true;
    if (settings !== undefined && isHarmless) return [];
    return this.#move(path, "git would run a program of that name for the merge");
  }

  async #index(path: string, common: string): Promise<QuarantineResult[]> {
    const [stats, state] = [tryStatEntry(path), readChangeStamp(path)];
    if (stats?.isFile() !== true) return [];
    if (this.#indexes.get(path) === state || !this.#isTouched(path)) return [];
    this.#indexes.set(path, state);
    const why =
      "it names files outside of the working tree, or in .git, that git would write; git reset makes a new one";
    if (stats.size > LARGEST_INDEX)
      return this.#move(path, "it is too large for a check; git reset creates a new index");
    const text = attempt(() => readRegularFile(path, { maxBytes: LARGEST_INDEX }));
    if (text === undefined) return [];
    return hasOutsidePath(text, await this.#hashOf(common)) === true ? this.#move(path, why) : [];
  }

  async #hashOf(common: string): Promise<number> {
    const { git } = this.#cleaning;
    const path = join(common, "config");
    if (git === undefined || !/objectformat/i.test(readRegularBytes(path)?.toString("latin1") ?? ""))
      return 20;
    const settings = await readSettingsFile(git, path);
    return settings?.get("extensions.objectformat")?.at(-1) === "sha256" ? 32 : 20;
  }

  #textOf(path: string): { is: string } | "unread" | undefined {
    if (!entryExists(path) || !this.#isOfCommand(path)) return undefined;
    const text = readRegularBytes(path);
    return text === undefined ? "unread" : { is: text.toString("latin1") };
  }

  #move(path: string, why: string): QuarantineResult[] {
    return this.#isOfCommand(path) ? this.#cleaning.quarantine.move(path, why) : [];
  }

  #isOfCommand(path: string): boolean {
    const isNew = this.#isNew(path, dirname(dirname(path)));
    return isNew || this.#isTouched(path);
  }
}
