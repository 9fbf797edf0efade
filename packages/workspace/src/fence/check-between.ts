import type { Fence } from "@haft/core/internal";
import { failure, type Request } from "../boundary/failures.ts";

export function checkFenceBetweenSteps(fence: Fence | undefined, request: Request, state: string): void {
  try {
    fence?.check();
  } catch (cause) {
    const why = `the lease of the session ended during the operation: ${state}`;
    throw failure("SESSION_LEASE_LOST", request, { why, receipt: "committed", cause });
  }
}
