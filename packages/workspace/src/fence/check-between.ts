import type { Fence } from "@haft/core/internal";
import { failure, type Request } from "../boundary/failures.ts";

/**
 * Between two steps of one operation, the first of which was carried out.
 *
 * @param state what there is now, as the rest of a sentence
 * @throws HaftError `SESSION_LEASE_LOST`, with the receipt `committed`
 */
export function checkBetween(fence: Fence | undefined, request: Request, state: string): void {
  try {
    fence?.check();
  } catch (cause) {
    const why = `the lease of the session ended meanwhile: ${state}`;
    throw failure("SESSION_LEASE_LOST", request, { why, receipt: "committed", cause });
  }
}
