import type { FileSystem } from "@haft/plugin-sdk";
import { joinPath } from "../paths/path-text.ts";
import { compileGitignore, type Verdict } from "./gitignore.ts";

/** Longer files are not what a person wrote; the rest of them is not read. */
const MOST_BYTES = 1024 * 1024;

/** Which entries of one folder to pass over. */
export interface IgnoreRules {
  ignores(name: string, folder: boolean): boolean;
  /** The rules inside one of its folders. */
  enter(name: string): Promise<IgnoreRules>;
}

/** Nothing is ignored but `.git`. */
export const KEEP_ALL: IgnoreRules = {
  ignores: (name) => name === ".git",
  enter: async () => KEEP_ALL,
};

/**
 * The `.gitignore` rules that hold in `folder`: its own and those of all folders above it within the
 * workspace. A folder that is itself ignored was asked for by name: rules from above do not empty it.
 */
export async function ignoreRules(fs: FileSystem, folder: string): Promise<IgnoreRules> {
  const [root, ...below] = steps(folder);
  let rules = await loadRules(fs, root, undefined);
  for (const step of below) {
    const ignored = rules.ignores(step.name, true);
    rules = await loadRules(fs, step, ignored ? undefined : rules);
  }
  return rules;
}

interface Step {
  path: string;
  /** What the folder above calls this one. */
  name: string;
}

/** Every folder from the root down to `folder`. */
function steps(folder: string): [Step, ...Step[]] {
  const [, root = "", rest = ""] = /^([^/:]+:|\/)?(.*)$/s.exec(folder) ?? [];
  const all: [Step, ...Step[]] = [{ path: root === "" ? "." : root, name: "" }];
  for (const name of rest.split("/")) {
    if (name === "" || name === ".") continue;
    all.push({ path: joinPath((all.at(-1) as Step).path, name), name });
  }
  return all;
}

interface FolderRules extends IgnoreRules {
  readonly name: string;
  readonly above: FolderRules | undefined;
  /** What this folder's own file says of a path below it. */
  verdict(names: readonly string[], folder: boolean): Verdict;
}

async function loadRules(fs: FileSystem, at: Step, above: FolderRules | undefined): Promise<FolderRules> {
  const text = await readRules(fs, joinPath(at.path, ".gitignore"));
  const rules: FolderRules = {
    name: at.name,
    above,
    verdict: text === undefined ? () => undefined : compileGitignore(text),
    ignores: (name, folder) => name === ".git" || isIgnored(rules, name, folder),
    enter: (name) => loadRules(fs, { path: joinPath(at.path, name), name }, rules),
  };
  return rules;
}

/** The deepest file that says anything of the path decides. */
function isIgnored(rules: FolderRules, name: string, folder: boolean): boolean {
  const names = [name];
  for (let level: FolderRules | undefined = rules; level !== undefined; level = level.above) {
    const verdict = level.verdict(names, folder);
    if (verdict !== undefined) return verdict === "ignored";
    names.unshift(level.name);
  }
  return false;
}

async function readRules(fs: FileSystem, path: string): Promise<string | undefined> {
  try {
    const { bytes } = await fs.read(path, { length: MOST_BYTES });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  } catch {
    // Missing, forbidden, a folder, outside the workspace: no rules from there.
    return undefined;
  }
}
