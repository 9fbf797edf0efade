import { formatLaterCall, type Rewind, type RewindRequest, type RewoundFile } from "@haft/core/internal";
import type { JournalStore } from "@haft/tools-fs";
import {
  type ChangeEngine,
  createChangeEngine,
  type RewindResult,
  workspaceEngineOptions,
} from "@haft/tools-fs/engine";
import { withoutUndefined } from "@haft/utils";

export function createRewind(journal: JournalStore): Rewind {
  return ({ workspace, ...wanted }) =>
    rewindFiles(createChangeEngine({ ...workspaceEngineOptions(workspace), journal }), wanted);
}

export async function rewindFiles(
  engine: ChangeEngine,
  {
    toolCallId,
    agentId,
    sessionKey,
    runIds,
    laterRunIds = [],
    calls,
    since,
    dryRun,
    skipConflicts,
    allow,
    signal,
  }: Omit<RewindRequest, "workspace">,
): ReturnType<Rewind> {
  const runs = new Set<string | undefined>([...runIds, ...laterRunIds]);
  const isOf = (
    by: { agentId: string; sessionKey: string; runId?: string; toolCallId?: string },
    at: number,
  ) =>
    by.agentId === agentId &&
    by.sessionKey === sessionKey &&
    by.runId !== undefined &&
    runs.has(by.runId) &&
    // Time covers later effects of an earlier call, and changes without a call. Changes in the same
    // millisecond are excluded: an extra change would lose data.
    (at > since || (runIds.includes(by.runId) && by.toolCallId !== undefined && calls.has(by.toolCallId)));
  const by = withoutUndefined<{ agentId: string; sessionKey: string; runId?: string; toolCallId?: string }>({
    agentId,
    sessionKey,
    runId: runIds[0],
    toolCallId,
  });
  const options = withoutUndefined({ dryRun, skipConflicts, signal });
  const rewound = await engine.rewind({ matches: isOf, by, allow, ...options });
  // A refused rewind only plans, but it was no dry run.
  return { ...reported(rewound, laterRunIds), dryRun: dryRun === true };
}

function reported(
  { report, conflicts, refused, undone, undoneBefore }: RewindResult,
  laterRunIds: readonly string[],
): Omit<Awaited<ReturnType<Rewind>>, "dryRun"> {
  const files = report.files.flatMap(({ kind, path, from, added, removed }): RewoundFile[] =>
    kind === "unchanged" ? [] : [withoutUndefined({ kind, path, from, added, removed })],
  );
  const { transactionId } = report;
  const callsOf = (changes: RewindResult["undone"]): string[] => {
    const ids = changes.flatMap(({ by: { toolCallId, runId = "" } }) =>
      toolCallId !== undefined && laterRunIds.includes(runId)
        ? formatLaterCall(toolCallId, runId)
        : (toolCallId ?? []),
    );
    return [...new Set(ids)];
  };
  return withoutUndefined({
    refused,
    transactionId,
    files,
    conflicts,
    calls: callsOf(undone),
    undoneBefore: callsOf(undoneBefore),
  });
}
