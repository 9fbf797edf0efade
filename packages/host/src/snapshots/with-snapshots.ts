import { HaftError, type Logger, getErrorMessage, type Workspace } from "@haft/core";
import type { LedgerStore } from "@haft/core/kernel";

export interface SnapshotOptions {
  /** A folder of its own; made when something is first kept. */
  readonly folder: string;
  /** The files of sessions on the host; those in sandboxes have others, and none are kept of them. */
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

/**
 * The same ledger, which keeps the files as they are when a run with `record: full` begins, before its first call goes on: then
 * the run can be played again. A snapshot that cannot be taken is told to the logger, and the run goes on without.
 */
export function withSnapshots(ledger: LedgerStore, place: SnapshotOptions): LedgerStore {
  const warn = (what: string) => (thrown: unknown) =>
    place.logger?.warn(`${what}: ${getErrorMessage(thrown)}`);
  const isKept = async (runId: string) => (await ledger.run(runId)) !== undefined;
  const notSwept = (thrown: unknown) => {
    // A host that ends meanwhile leaves them to the next one.
    const because = HaftError.is(thrown) && thrown.code === "LEDGER_UNAVAILABLE" ? thrown.cause : thrown;
    if (HaftError.is(because) && because.code === "STORE_CLOSED") return;
    warn("Old snapshots of files could not be removed")(thrown);
  };
  const take = async (runId: string) => {
    const { snapshots, takeSnapshot } = await loadSnapshots(place);
    await takeSnapshot(place.workspace, runId, snapshots);
    void snapshots.sweep(isKept).catch(notSwept);
  };
  return {
    async open(opening) {
      const run = await ledger.open(opening);
      const { runId, mode, epoch, workspace } = run.record;
      const { target: where, cwd } = place.workspace.describe();
      if (mode === "full" && epoch === 1 && workspace.place === where && workspace.cwd === cwd)
        await take(runId).catch(
          warn(
            `The files as they were when the run ${runId} began are not kept, so it may not be played again`,
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
