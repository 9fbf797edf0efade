import { textOf, type ToolOutcome } from "@haft/core";
import { coverAndCut } from "@haft/core/internal/records";

/** Arguments as they are recorded, too: known secrets covered, long texts cut. */
export function coveredArguments(args: unknown): string {
  try {
    return JSON.stringify(coverAndCut(args)) ?? "";
  } catch {
    return '{"unreadable":true}';
  }
}

/** The texts of a result, likewise. */
export function coveredResult({ content }: Pick<ToolOutcome, "content">): string {
  const covered = coverAndCut(textOf(content));
  return typeof covered === "string" ? covered : JSON.stringify(covered);
}
