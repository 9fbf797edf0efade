import { HaftError } from "@haft/core";
import { type Lease, leaseLostError, type RunRecord } from "@haft/core/internal";
import type { LeaseTimes } from "./lease-times.ts";
import type { StoredRun, RunsBucket } from "./runs-bucket.ts";

export class NatsLease implements Lease {
  readonly epoch: number;
  readonly lost: AbortSignal;
  readonly #runs: RunsBucket;
  readonly #stored: StoredRun;
  readonly #times: LeaseTimes;
  readonly #loses = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #revision: number;
  #endsAt: number;
  #renewing: Promise<void> | undefined;

  constructor(
    runs: RunsBucket,
    stored: StoredRun,
    times: LeaseTimes,
    { revision, sent }: { revision: number; sent: number },
  ) {
    this.epoch = stored.run.epoch;
    this.lost = this.#loses.signal;
    this.#runs = runs;
    this.#stored = stored;
    this.#times = times;
    this.#revision = revision;
    this.#endsAt = sent + times.holdMs;
    this.#renewIn(times.renewMs);
  }

  get endsAt(): number {
    return this.lost.aborted ? 0 : this.#endsAt;
  }

  check(): void {
    this.lost.throwIfAborted();
    if (this.#times.clock() < this.#endsAt) return;
    const why =
      "its lease could not be renewed in time; this host may act for it again once the NATS server has answered";
    throw leaseLostError(this.#stored.run, why);
  }

  lose(why: string): void {
    clearTimeout(this.#timer);
    if (!this.lost.aborted) this.#loses.abort(leaseLostError(this.#stored.run, why));
  }

  /** A late renewal is valid unless another host took the run, which changes the revision. */
  async renew(): Promise<void> {
    this.#renewing ??= this.#renewAndGoOn().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  /** A single timer limits the retry rate during long outages. */
  async #renewAndGoOn(): Promise<void> {
    const { renewMs } = this.#times;
    const begun = performance.now();
    let nextMs = Math.min(1_000, renewMs);
    try {
      await this.#renew();
      nextMs = Math.max(0, renewMs - (performance.now() - begun));
    } catch (thrown) {
      // `check` reports it.
      if (HaftError.is(thrown) && thrown.code === "STORE_CLOSED") return;
    }
    if (!this.lost.aborted) this.#renewIn(nextMs);
  }

  #renewIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.renew(), ms).unref();
  }

  async #renew(): Promise<void> {
    if (this.lost.aborted) return;
    const sent = this.#times.clock();
    const revision = await this.#runs.put(this.#stored, this.#revision);
    if (revision !== undefined) {
      this.#revision = revision;
      this.#endsAt = sent + this.#times.holdMs;
      return;
    }
    // An earlier renewal may have succeeded without an answer. Its dispatch time is unknown, so only its revision is used.
    const now = await this.#runs.get(this.#stored.run);
    if (now?.holder === this.#stored.holder) {
      this.#revision = now!.revision;
      return await this.#renew();
    }
    this.lose(now === undefined ? "it was removed" : formatHolder(now.run));
  }

  async release(closedAt: number | undefined): Promise<void> {
    if (this.lost.aborted) return;
    await this.#renewing;
    const { holder: _holder, ...stored } = this.#stored;
    const { heldBy: _, ...run } = stored.run;
    // Other hosts may take the run before the answer arrives.
    this.lose("it was closed here");
    for (let tries = 0; tries < 3; tries++) {
      const revision = await this.#runs.put(
        { ...stored, run: closedAt === undefined ? run : { ...run, closedAt } },
        this.#revision,
      );
      if (revision !== undefined) return;
      const now = await this.#runs.get(run);
      if (now?.holder !== this.#stored.holder || now === undefined) return;
      this.#revision = now.revision;
    }
  }
}

export function formatHolder({ heldBy }: RunRecord): string {
  if (heldBy === undefined) return "another host held it and closed it";
  return `process ${heldBy.pid} on ${heldBy.host} holds it since ${new Date(heldBy.since).toISOString()}`;
}
