import { compilePathPattern, type PathPattern } from "@haft/plugin-sdk";
import { belowFolders } from "./glob.ts";

export type Verdict = "ignored" | "kept" | undefined;

interface Rule {
  /** `!pattern`: keeps what an earlier rule ignored. */
  negated: boolean;
  /** `pattern/`: folders only. */
  folders: boolean;
  /** The pattern has a slash before its end, so it is matched from the file's own folder. */
  anchored: boolean;
  pattern: PathPattern;
}

/** Compiles a `.gitignore` file, or another of its form. The paths asked about are relative to its folder. */
export function compileGitignore(text: string): (path: string, folder: boolean) => Verdict {
  const rules = text
    .replace(/^\ufeff/, "")
    .split(/\r?\n|\r$/)
    .flatMap((line) => parseRule(line) ?? [])
    // The last rule that matches decides, so it is looked for from the end.
    .toReversed();
  return (path, folder) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    for (const rule of rules) {
      if (rule.folders && !folder) continue;
      if (rule.pattern.matches(rule.anchored ? path : name)) return rule.negated ? "kept" : "ignored";
    }
    return undefined;
  };
}

/** Characters. No path is longer, and a pattern costs a multiple of its length in memory. */
const MAX_PATTERN_LENGTH = 4096;

function parseRule(line: string): Rule | undefined {
  if (line.startsWith("#") || line.length > MAX_PATTERN_LENGTH) return undefined;
  let text = trimBlanks(line);
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

/** Removes blanks at the end, as git does: one behind an odd number of backslashes stays. */
function trimBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end -= 1;
  if (end === line.length) return line;
  let slashes = 0;
  while (slashes < end && line[end - 1 - slashes] === "\\") slashes += 1;
  return line.slice(0, slashes % 2 === 1 ? end + 1 : end);
}
