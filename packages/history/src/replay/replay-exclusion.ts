import type { ToolEffect } from "@haft/core";
import { isPartial, isRewind } from "@haft/core/internal/records";
import type { CallRecord } from "@haft/core/kernel";

/** Effects that a replay repeats: they affect only isolated files and processes. */
const AGAIN: readonly ToolEffect[] = ["read", "write", "execute"];

/** `isKnown`: the record contains its effect. */
export interface ReplayExclusion {
  readonly isKnown: boolean;
  readonly why: string;
}

export function findReplayExclusion(
  call: CallRecord,
  live: readonly string[],
  cwd: string,
): ReplayExclusion | undefined {
  const { tool, toolName, status, outcome, args, parentCallId, resumed } = call;
  if (isRewind(call)) return fromRecord("it restored files, which a replay does not repeat");
  if (parentCallId !== undefined) return fromRecord(`it was made by ${parentCallId}`);
  if (status === "pending") return fromRecord("it waited for a decision and did not run");
  if (status === "executing" || call.code === "INTERRUPTED")
    return { isKnown: false, why: "it was interrupted, so its effect is unknown" };
  if (outcome === "blocked") return fromRecord(`it was not allowed to run (${call.code})`);
  if (call.startedAt === undefined) return fromRecord(`it did not run (${call.code ?? outcome})`);
  if (outcome === "cancelled")
    return { isKnown: false, why: "it was stopped while it ran, which cannot be repeated" };
  if (resumed && args === undefined) return { isKnown: false, why: "its arguments were not recorded" };
  if (tool === undefined || args === undefined)
    return { isKnown: false, why: "its arguments were not recorded (record: none)" };
  if (isPartial(args))
    return {
      isKnown: false,
      why: "its recorded arguments are incomplete: a secret was masked, or a long text was cut (record: full does not cut)",
    };
  if (live.includes(toolName) || live.includes(tool.id)) return undefined;
  const beyond = tool.effects.filter((effect) => !AGAIN.includes(effect));
  if (beyond.length > 0) return fromRecord(`it may reach beyond the files (${beyond.join(", ")})`);
  if (call.plan?.subjects?.command?.outside !== undefined)
    return fromRecord("it ran outside the view of its session");
  const outside = call.plan?.subjects?.paths?.find(({ path }) => path !== cwd && !path.startsWith(`${cwd}/`));
  if (outside !== undefined) return fromRecord(`it acts on ${outside.path}, outside the workspace`);
  return undefined;
}

/** Returns whether a call starts programs. */
export function needsContainment({ tool, plan }: CallRecord): boolean {
  return tool === undefined || tool.effects.includes("execute") || plan?.subjects?.command !== undefined;
}

function fromRecord(why: string): ReplayExclusion {
  return { isKnown: true, why };
}
