import type { Fence } from "@haft/core/internal";
import { RunnerError, uptimeMs } from "@haft/system/processes";

/** Between two machines clocks drift apart, by seconds in a day: a reading is not used for longer. */
const READING_MS = 10 * 60_000;

/**
 * What a moment of this machine's clock is by that of the place where a runner is: perhaps another machine's, and in a
 * container perhaps another one, too. A reading was taken before it was heard of, so that what is worked out is never
 * later than the moment that is meant, and earlier by no more than the time the reading was under way.
 */
export class RemoteClock {
  #theirs: number | undefined;
  #heardAt = 0;

  /** @param theirs milliseconds by their clock, as they say; without it nothing can be told */
  update(theirs: unknown): void {
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

/** What a host's lease is here: a moment by the clock of this place, which the host may put off. */
export interface LocalFence extends Fence {
  endsAt: number;
}

/** @param endsAt in milliseconds of {@link uptimeMs}; from then on, and where it is no number, nothing begins */
export function createLocalFence(endsAt: number): LocalFence {
  return {
    endsAt,
    check() {
      if (uptimeMs() < this.endsAt) return;
      throw new RunnerError(
        "SESSION_LEASE_LOST",
        "the lease of its session had ended when it arrived, so it was not dispatched",
      );
    },
  };
}
