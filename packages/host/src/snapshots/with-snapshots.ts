import { HaftError, type Logger, getErrorMessage, type Workspace } from "@haft/core";
import type { LedgerStore } from "@haft/core/kernel";

export interface SnapshotOptions {
  readonly folder: string;
  /** Contains the files of sessions on the host, not of sandboxes. */
  readonly workspace: Workspace;
  readonly logger?: Logger | undefined;
}

const loadSnapshots = async ({ folder }: SnapshotOptions) => {
  const [{ SnapshotStore }, { takeSnapshot }] = await Promise.all([
    import("./snapshot-store.ts"),
    import("./take-snapshot.ts"),
  ]);
  return { snapshots: new SnapshotStore(folder), takeSnapshot };
};

/** Returns a ledger that takes a snapshot before the first call of a run with `record: full`. A failed snapshot is logged. */
export function withSnapshots(ledger: LedgerStore, options: SnapshotOptions): LedgerStore {
  const warn = (what: string) => (thrown: unknown) =>
    options.logger?.warn(`${what}: ${getErrorMessage(thrown)}`);
  const exists = async (runId: string) => (await ledger.run(runId)) !== undefined;
  const notSwept = (thrown: unknown) => {
    // The next host then removes the old snapshots.
    const because = HaftError.is(thrown) && thrown.code === "LEDGER_UNAVAILABLE" ? thrown.cause : thrown;
    if (HaftError.is(because) && because.code === "STORE_CLOSED") return;
    warn("Old snapshots of files could not be removed")(thrown);
  };
  const take = async (runId: string) => {
    const { snapshots, takeSnapshot } = await loadSnapshots(options);
    await takeSnapshot(options.workspace, runId, snapshots);
    void snapshots.sweep(exists).catch(notSwept);
  };
  return {
    async open(opening) {
      const run = await ledger.open(opening);
      const { runId, mode, epoch, workspace } = run.record;
      const { target: where, cwd } = options.workspace.describe();
      if (mode === "full" && epoch === 1 && workspace.place === where && workspace.cwd === cwd)
        await take(runId).catch(
          warn(
            `The snapshot of the files at the begin of run ${runId} failed, so the run may not be replayable`,
          ),
        );
      return run;
    },
    runs: (query) => ledger.runs(query),
    calls: (query) => ledger.calls(query),
    run: (runId) => ledger.run(runId),
    call: (runId, toolCallId) => ledger.call(runId, toolCallId),
    forget: (which) => ledger.forget(which),
    close: () => ledger.close(),
  };
}
