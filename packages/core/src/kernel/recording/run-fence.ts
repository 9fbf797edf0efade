import type { Fence } from "../../contract/ledger-port.ts";
import type { Recorder } from "./recorder.ts";

/**
 * The lease of a session's run, whenever that comes to be: what the session acts on is made before its run is opened.
 * Of a run that is not opened yet nobody else can have the lease.
 */
export class RunFence implements Fence {
  recorder: Pick<Recorder, "run" | "lost"> | undefined;

  check(): void {
    if (this.recorder?.lost !== undefined) throw this.recorder.lost;
    this.recorder?.run?.lease.check();
  }

  get endsAt(): number {
    return this.recorder?.run?.lease.endsAt ?? Number.POSITIVE_INFINITY;
  }
}
