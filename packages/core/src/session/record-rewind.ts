import { withoutUndefined, escapeInvisible } from "@haft/utils";
import type { CallRecord } from "../contract/ledger-port.ts";
import type { RewindCall } from "./rewind-call.ts";
import type { NotUndone, Rewind, RewindRequest, RewindReport } from "./rewind-report.ts";

export interface RecordedRewind {
  rewind: (wanted: RewindRequest) => ReturnType<Rewind>;
  /** The call whose previous state is restored, and all later calls. */
  rewound: readonly RewoundCall[];
  record?: () => RewindCall;
}

/** Restores files after it creates a record; a dry run does neither. */
export async function recordRewind(
  toolCallId: string,
  wanted: RewindRequest,
  { rewind, rewound, record }: RecordedRewind,
): Promise<RewindReport> {
  const call = wanted.dryRun === true ? undefined : record?.();
  const rewinding: RewindRequest = {
    ...wanted,
    ...(call && { toolCallId: call.id }),
    async allow(paths) {
      await wanted.allow(paths);
      await call?.begin(paths);
    },
  };
  const { undoneBefore = [], ...done } = await rewind(rewinding).catch(async (thrown: unknown) => {
    await call?.fail(thrown);
    throw thrown;
  });
  const report = { toolCallId, ...done, notUndone: notUndone(rewound, [...done.calls, ...undoneBefore]) };
  if (call === undefined) return report;
  const error = await call.end({
    summary: summaryOf(report),
    details: { ...report },
    changed: done.transactionId !== undefined,
    ...(done.refused && { refused: "conflicts" }),
  });
  return {
    ...report,
    recordedAs: call.id,
    ...(error && { note: `The end of the rewind could not be written to the ledger: ${error.message}` }),
  };
}

function summaryOf({ toolCallId, refused, files, conflicts, notUndone: left }: RewindReport): string {
  const many = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  const lines = [
    refused ? "Nothing was restored." : `Restored ${many} to the state before ${toolCallId}.`,
    ...(refused
      ? []
      : files.map(({ kind, path, added, removed }) => `${kind} ${path} +${added} -${removed}`)),
    ...conflicts.map(({ path, why }) => `conflict ${path}: ${why}`),
    ...left.map(({ toolCallId: id, toolName, why }) => `not undone ${id} ${toolName}: ${why}`),
  ];
  return lines.map(escapeInvisible).join("\n");
}

export interface RewoundCall extends Pick<
  CallRecord,
  "toolCallId" | "toolName" | "startedAt" | "receipt" | "args"
> {
  effects?: readonly string[] | undefined;
  unchanged?: boolean | undefined;
}

const MAX_CHARACTERS = 120;

function notUndone(calls: readonly RewoundCall[], undone: readonly string[]): NotUndone[] {
  const back = new Set(undone);
  return calls.flatMap((call): NotUndone[] => {
    const { toolCallId, toolName, args, effects, startedAt, receipt } = call;
    if (startedAt === undefined || receipt === "none") return [];
    const why =
      effects === undefined
        ? back.has(toolCallId)
          ? undefined
          : "may have changed something, which remains"
        : effects.includes("execute")
          ? "ran since; its changes remain"
          : effects.includes("write") && !back.has(toolCallId) && call.unchanged !== true
            ? "has no recorded change; its changes, if any, remain"
            : undefined;
    if (why === undefined) return [];
    return [withoutUndefined({ toolCallId, toolName, what: commandOf(args), why })];
  });
}

function commandOf(args: unknown): string | undefined {
  const { command } = (args ?? {}) as { command?: unknown };
  if (typeof command !== "string") return undefined;
  const line = escapeInvisible(command.trim().replaceAll(/\s*\n\s*/g, "; "));
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS - 1)}…` : line;
}
