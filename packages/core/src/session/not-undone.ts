import type { CallRecord } from "../contract/ledger-port.ts";
import { withoutUndefined } from "../contract/without-undefined.ts";
import { escapeInvisible } from "../format/visible-text.ts";
import type { NotUndone } from "./rewind-report.ts";

export interface RewoundCall extends Pick<
  CallRecord,
  "toolCallId" | "toolName" | "startedAt" | "receipt" | "args"
> {
  /** Of its tool; absent where that is not known. */
  effects?: readonly string[] | undefined;
  /** It said itself that it changed nothing. */
  unchanged?: boolean | undefined;
}

const MOST_CHARACTERS = 120;

/** Of these calls, those whose effects are not put back, each named. @param undone ids of those whose changes are */
export function notUndone(calls: readonly RewoundCall[], undone: readonly string[]): NotUndone[] {
  const back = new Set(undone);
  return calls.flatMap((call): NotUndone[] => {
    const { toolCallId, toolName, args, effects, startedAt, receipt } = call;
    if (startedAt === undefined || receipt === "none") return [];
    const why =
      effects === undefined
        ? back.has(toolCallId)
          ? undefined
          : "may have changed something, which is not undone"
        : effects.includes("execute")
          ? "ran since; what it changed is not undone"
          : effects.includes("write") && !back.has(toolCallId) && call.unchanged !== true
            ? "has no change that is kept; what it changed, if anything, is not undone"
            : undefined;
    if (why === undefined) return [];
    return [withoutUndefined({ toolCallId, toolName, what: commandOf(args), why })];
  });
}

function commandOf(args: unknown): string | undefined {
  const { command } = (args ?? {}) as { command?: unknown };
  if (typeof command !== "string") return undefined;
  const line = escapeInvisible(command.trim().replaceAll(/\s*\n\s*/g, "; "));
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line;
}
