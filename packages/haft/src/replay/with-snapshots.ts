import { type Logger, messageOf, type Workspace } from "@haft/core";
import type { LedgerStore } from "@haft/core/kernel";
import type { SnapshotStore } from "./snapshot-store.ts";
import { takeSnapshot } from "./take-snapshot.ts";

/**
 * The same ledger, which keeps the files as they are when a run with `record: full` begins, before its first call goes on: then
 * the run can be played again. A snapshot that cannot be taken is told to the logger, and the run goes on without.
 *
 * @param workspace the files of sessions on the host; those in sandboxes have others, and get none
 */
export function withSnapshots(
  ledger: LedgerStore,
  {
    snapshots,
    workspace,
    logger,
  }: { snapshots: SnapshotStore; workspace: Workspace; logger?: Logger | undefined },
): LedgerStore {
  const warn = (what: string) => (thrown: unknown) => logger?.warn(`${what}: ${messageOf(thrown)}`);
  return {
    async open(opening) {
      const run = await ledger.open(opening);
      const { runId, mode, epoch, workspace: place } = run.record;
      const { place: where, cwd } = workspace.describe();
      if (mode !== "full" || epoch > 1 || place.place !== where || place.cwd !== cwd) return run;
      await takeSnapshot(workspace, runId, snapshots).catch(
        warn(`The files as they were when ${runId} began are not kept, so it cannot be played again`),
      );
      const isKept = async (id: string) => (await ledger.run(id)) !== undefined;
      void snapshots.sweep(isKept).catch(warn("Old snapshots of files could not be removed"));
      return run;
    },
    runs: (query) => ledger.runs(query),
    calls: (query) => ledger.calls(query),
    run: (runId) => ledger.run(runId),
    call: (runId, toolCallId) => ledger.call(runId, toolCallId),
    async forget(which) {
      const forgotten = await ledger.forget(which);
      await snapshots
        .sweep(async (id) => (await ledger.run(id)) !== undefined)
        .catch(warn("Old snapshots of files could not be removed"));
      return forgotten;
    },
    close: () => ledger.close(),
  };
}
