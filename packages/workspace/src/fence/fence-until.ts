import type { Fence } from "@haft/core/internal";
import { RunnerError } from "../runner-error.ts";
import { uptimeMs } from "./uptime.ts";

/** What a host's lease is here: a moment by the clock of this place, which the host may put off. */
export interface FenceHere extends Fence {
  endsAt: number;
}

/** @param endsAt in milliseconds of {@link uptimeMs}; from then on, and where it is no number, nothing begins */
export function fenceUntil(endsAt: number): FenceHere {
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
