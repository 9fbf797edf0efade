import type { ToolFacts } from "@haft/core";
import type { PatternProblem } from "../patterns/pattern-problem.ts";
import { profiles } from "../patterns/profiles.ts";
import type { Selector, SelectorProblem } from "../patterns/selector.ts";

// An administrator's document applies to every host, so missing tools are no errors. Unknown names may be typing errors.

/** Hosts without such a tool still accept rules about them. */
export const SERVER_GROUPS: ReadonlySet<string> = new Set(["mcp", "unknown-effects", "hinted-effects"]);

export const KNOWN_GROUPS: ReadonlySet<string> = new Set([
  "fs",
  "runtime",
  ...SERVER_GROUPS,
  ...Object.values(profiles).flatMap(({ groups = [] }) => groups),
]);

export function isKnownAnywhere({ target }: Selector): boolean {
  if (target.kind === "group") return KNOWN_GROUPS.has(target.group);
  return target.kind === "all" || target.kind === "plugins" || target.kind === "effect";
}

export function restsOnBuiltIns({ target }: Selector, matching: readonly ToolFacts[]): boolean {
  const named = target.kind === "name" || target.kind === "id";
  return named && matching.length > 0 && matching.every(({ builtIn }) => builtIn);
}

export function unknownDenial({ text, target }: Selector, list: "deny" | "ask"): string {
  const what = list === "deny" ? "is denied" : "needs approval";
  const many = target.kind === "pattern" || target.kind === "group";
  return many
    ? `"${text}" matches no tool of this host yet; a tool that matches later ${what}.`
    : `There is no tool or plugin "${text.split(/[:(]/, 1)[0]!}" here yet; once it exists, it ${what}.`;
}

/** Another version of Haft may know the effect. */
export function unknownEffect({ message, nearest = [] }: SelectorProblem): PatternProblem {
  return {
    message: `${message} This version of Haft knows no other effects, so the entry restricts nothing here.`,
    nearest,
  };
}
