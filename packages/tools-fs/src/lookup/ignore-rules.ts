import { compilePathPattern, type FileSystem, type PathPattern } from "@haft/plugin-sdk";
import { joinPath } from "../paths/path-text.ts";
import { belowFolders } from "./glob.ts";

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

/** What a `.gitignore` file says of a path; `undefined` when it says nothing. */
type Verdict = "ignored" | "kept" | undefined;

interface Rule {
  /** `!pattern`: keeps what an earlier rule ignored. */
  negated: boolean;
  /** `pattern/`: folders only. */
  folders: boolean;
  /** The pattern has a slash before its end, so it is matched from the file's own folder. */
  anchored: boolean;
  pattern: PathPattern;
}

/** Compiles a `.gitignore` file. The paths asked about are relative to its folder, as names. */
export function compileGitignore(text: string): (names: readonly string[], folder: boolean) => Verdict {
  const rules = text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .flatMap((line) => parseRule(line) ?? [])
    // The last rule that matches decides, so it is looked for from the end.
    .toReversed();
  return (names, folder) => {
    const [path, name] = [names.join("/"), names.at(-1) ?? ""];
    for (const rule of rules) {
      if (rule.folders && !folder) continue;
      if (rule.pattern.matches(rule.anchored ? path : name)) return rule.negated ? "kept" : "ignored";
    }
    return undefined;
  };
}

function parseRule(line: string): Rule | undefined {
  if (line.startsWith("#")) return undefined;
  // Blanks at the end count only when escaped.
  let text = line.replace(/((?:^|[^\\])(?:\\\\)*) +$/, "$1");
  const negated = text.startsWith("!");
  if (negated) text = text.slice(1);
  const folders = text.endsWith("/");
  if (folders) text = text.slice(0, -1);
  const anchored = text.includes("/");
  if (text.startsWith("/")) text = text.slice(1);
  if (text === "" || text.startsWith("/")) return undefined;
  // To git, braces are characters like others.
  const pattern = compilePathPattern(
    belowFolders(text).replaceAll(/\\.|[{}]/g, (sign) => sign.padStart(2, "\\")),
    { emptyRanges: true },
  );
  return "problem" in pattern ? undefined : { negated, folders, anchored, pattern };
}
