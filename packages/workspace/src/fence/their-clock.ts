import type { Fence } from "@haft/core/internal";
import { uptimeMs } from "./uptime.ts";

/** Between two machines clocks drift apart, by seconds in a day: a reading is not used for longer. */
const READING_MS = 10 * 60_000;

/**
 * What a moment of this machine's clock is by that of the place where a runner is: perhaps another machine's, and in a
 * container perhaps another one, too. A reading was taken before it was heard of, so that what is worked out is never
 * later than the moment that is meant, and earlier by no more than the time the reading was under way.
 */
export class TheirClock {
  #theirs: number | undefined;
  #heardAt = 0;

  /** @param theirs milliseconds by their clock, as they say; without it nothing can be told */
  hear(theirs: unknown): void {
    this.#heardAt = uptimeMs();
    this.#theirs = typeof theirs === "number" && Number.isFinite(theirs) ? theirs : undefined;
  }

  get isStale(): boolean {
    return this.#theirs === undefined || uptimeMs() - this.#heardAt > READING_MS;
  }

  until(fence: Fence | undefined): { notAfter?: number } {
    return fence === undefined || fence.endsAt === Infinity ? {} : { notAfter: this.at(fence.endsAt) };
  }

  /** In the past, where nothing can be told: then nothing may begin. */
  at(ours: number): number {
    return this.#theirs === undefined ? 0 : this.#theirs + ours - this.#heardAt;
  }
}
