import { DAY_MS, type RetentionLimits } from "../../defaults.ts";
import { isConflict } from "../connection/nats-error.ts";
import { forgetRun } from "./forget-run.ts";
import type { RunEntry } from "./runs-bucket.ts";
import { continueRun, type LedgerContext } from "./take-run.ts";

export class NatsRetention {
  readonly #context: LedgerContext;
  readonly #keep: RetentionLimits;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(context: LedgerContext, keep: RetentionLimits) {
    this.#context = context;
    this.#keep = keep;
    const { sweepMs } = context.times;
    if (sweepMs === undefined) return;
    const inTurn = () => void this.#try(() => this.#inTurn(sweepMs));
    this.#timer = setInterval(inTurn, sweepMs).unref();
    inTurn();
  }

  close(): void {
    clearInterval(this.#timer);
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #inTurn(sweepMs: number): Promise<void> {
    const { link } = this.#context;
    const now = await link.serverNow();
    const before = await link.find("The last sweep could not be read", () => link.approvals.get("swept"));
    if (before && now - before.created.getTime() < sweepMs) return;
    await link.ask("The sweep could not be started", () =>
      link.approvals.put("swept", "", { previousSeq: before?.revision ?? 0 }),
    );
    await this.sweep();
  }

  /** Removes free runs above the limits, oldest first, without waiting calls. */
  async sweep(): Promise<void> {
    const { link, runs } = this.#context;
    const entries = (await runs.find({})).toSorted((a, b) => a.changedAt - b.changedAt);
    const since = link.clock.now() - this.#keep.days * DAY_MS;
    let bytes = await this.#bytes();
    for (const entry of entries) {
      if (entry.holder !== undefined) this.#checkLater(entry);
      else if (entry.changedAt < since || bytes > this.#keep.bytes) {
        await forgetRun(link, runs, entry);
        bytes = await this.#bytes();
      }
    }
  }

  async #bytes(): Promise<number> {
    const { jsm, names } = this.#context.link;
    const { state } = await this.#context.link.ask("The stream could not be read", () =>
      jsm.streams.info(names.ledger),
    );
    return state.bytes;
  }

  #checkLater(entry: RunEntry): void {
    const { times } = this.#context;
    const since = times.clock();
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (times.clock() - since < times.takeMs) return this.#checkLater(entry);
      void this.#try(() => this.#end(entry));
    }, times.takeMs).unref();
    this.#timers.add(timer);
  }

  /** Settles calls of a dead holder. */
  async #end(entry: RunEntry): Promise<void> {
    const taken = await continueRun(this.#context, entry.run, entry);
    await taken?.lease.release(undefined);
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      if (isConflict(thrown) || this.#context.link.nc.isClosed()) return;
      this.#context.link.logger?.warn(`Old runs were not removed: ${(thrown as Error).message}`);
    }
  }
}
