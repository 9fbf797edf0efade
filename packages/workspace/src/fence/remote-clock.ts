import type { Fence } from "@haft/core/internal";
import { RunnerError, uptimeMs } from "@haft/system/processes";

/** A reading expires, because clocks drift apart by seconds per day. */
const READING_MS = 10 * 60_000;

/** Converts local times to the clock of a runner: never later than the real time, and earlier by at most the transfer of the reading. */
export class RemoteClock {
  #remote: number | undefined;
  #receivedAt = 0;

  /** @param remote milliseconds; anything but a number makes every time unknown */
  update(remote: unknown): void {
    this.#receivedAt = uptimeMs();
    this.#remote = typeof remote === "number" && Number.isFinite(remote) ? remote : undefined;
  }

  get isStale(): boolean {
    return this.#remote === undefined || uptimeMs() - this.#receivedAt > READING_MS;
  }

  until(fence: Fence | undefined): { notAfter?: number } {
    return fence === undefined || fence.endsAt === Infinity ? {} : { notAfter: this.at(fence.endsAt) };
  }

  /** Without a reading, returns a time in the past, so that nothing may start. */
  at(local: number): number {
    return this.#remote === undefined ? 0 : this.#remote + local - this.#receivedAt;
  }
}

export interface LocalFence extends Fence {
  endsAt: number;
}

/** @param endsAt in milliseconds of {@link uptimeMs}. If it is not a number, nothing starts. */
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
