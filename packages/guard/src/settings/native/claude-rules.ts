import type { MarkedList } from "./marked-list.ts";
import type { PathDenials } from "./path-denials.ts";

/** The marks are rules for missing files. */
export const CLAUDE_DENIES: MarkedList = {
  path: ["permissions", "deny"],
  begin: "Read(//haft-guard/begin)",
  end: "Read(//haft-guard/end)",
};

/** Limits expanded alternatives. */
const MAX = 64;

/**
 * Returns rules of Claude Code for paths that a policy denies to read. `notes`: uncovered denials.
 *
 * @example
 * ```ts
 * import { claudeRules, type GuardRules, pathDenials } from "@haft/guard/internal/agents";
 * declare const rules: GuardRules;
 * const { rules: ofClaude, notes } = claudeRules(pathDenials(rules, "claude", false));
 * ```
 */
export function claudeRules({ all, paths, narrower }: PathDenials): { rules: string[]; notes: string[] } {
  const notes = narrower.map(
    (entry) => `${JSON.stringify(entry)} has conditions other than a path, so native rules do not cover it.`,
  );
  if (all) return { rules: ["Read"], notes };
  const rules = paths.flatMap((path) => {
    const translated = alternativesOf(path)?.map(ruleOf);
    if (translated !== undefined && !translated.includes(undefined)) return translated as string[];
    notes.push(`Native rules cannot express the path ${JSON.stringify(path)}.`);
    return [];
  });
  return { rules: [...new Set(rules)], notes };
}

function ruleOf(path: string): string | undefined {
  if (/[\\()[\]!~]|^\s|\s$/.test(path)) return undefined;
  if (path.startsWith("/")) return `Read(/${path})`;
  return path.startsWith("**/") ? `Read(${path})` : `Read(./${path})`;
}

/** Claude does not support `{a,b}`. */
function alternativesOf(path: string): string[] | undefined {
  let all = [path];
  for (;;) {
    const next = all.flatMap((each) => {
      const found = /^(.*?)(?<!\\)\{([^{}]*)\}(.*)$/s.exec(each);
      if (found === null) return [each];
      const [, before = "", inner = "", after = ""] = found;
      return inner.split(",").map((one) => before + one + after);
    });
    if (next.length > MAX) return undefined;
    if (next.length === all.length && next.every((each, index) => each === all[index])) return all;
    all = next;
  }
}
