import { DAY_MS, type RetentionLimits } from "../../defaults.ts";
import { isConflict } from "../connection/nats-error.ts";
import { forgetRun } from "./forget-run.ts";
import type { RunEntry } from "./runs-bucket.ts";
import { continueRun, type LedgerContext } from "./take-run.ts";

/** Removes old runs and settles calls of dead holders. Hosts take turns. */
export class NatsRetention {
  readonly #place: LedgerContext;
  readonly #keep: RetentionLimits;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #looks = new Set<NodeJS.Timeout>();

  constructor(place: LedgerContext, keep: RetentionLimits) {
    this.#place = place;
    this.#keep = keep;
    const { sweepMs } = place.times;
    if (sweepMs === undefined) return;
    const inTurn = () => void this.#try(() => this.#inTurn(sweepMs));
    this.#timer = setInterval(inTurn, sweepMs).unref();
    inTurn();
  }

  close(): void {
    clearInterval(this.#timer);
    for (const look of this.#looks) clearTimeout(look);
  }

  async #inTurn(sweepMs: number): Promise<void> {
    const { link } = this.#place;
    const now = await link.serverNow();
    const before = await link.find("The last sweep could not be looked up", () =>
      link.approvals.get("swept"),
    );
    if (before && now - before.created.getTime() < sweepMs) return;
    await link.ask("The sweep could not be begun", () =>
      link.approvals.put("swept", "", { previousSeq: before?.revision ?? 0 }),
    );
    await this.sweep();
  }

  /** Removes free runs above the limits, oldest first. Never removes a call that waits. */
  async sweep(): Promise<void> {
    const { link, runs } = this.#place;
    const entries = (await runs.find({})).toSorted((a, b) => a.changedAt - b.changedAt);
    const since = link.clock.now() - this.#keep.days * DAY_MS;
    let bytes = await this.#bytes();
    for (const entry of entries) {
      if (entry.holder !== undefined) this.#lookAgain(entry);
      else if (entry.changedAt < since || bytes > this.#keep.bytes) {
        await forgetRun(link, runs, entry);
        bytes = await this.#bytes();
      }
    }
  }

  async #bytes(): Promise<number> {
    const { jsm, names } = this.#place.link;
    const { state } = await this.#place.link.ask("The stream could not be looked at", () =>
      jsm.streams.info(names.ledger),
    );
    return state.bytes;
  }

  /** Checks the holder again after a missed renewal. */
  #lookAgain(entry: RunEntry): void {
    const { times } = this.#place;
    const since = times.clock();
    const look = setTimeout(() => {
      this.#looks.delete(look);
      if (times.clock() - since < times.takeMs) return this.#lookAgain(entry);
      void this.#try(() => this.#end(entry));
    }, times.takeMs).unref();
    this.#looks.add(look);
  }

  /** Settles calls of a dead holder even if no process continues the run. */
  async #end(entry: RunEntry): Promise<void> {
    const taken = await continueRun(this.#place, entry.run, entry);
    await taken?.lease.release(undefined);
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      if (isConflict(thrown) || this.#place.link.nc.isClosed()) return;
      this.#place.link.logger?.warn(`Old runs were not removed: ${(thrown as Error).message}`);
    }
  }
}
