import type { ToolOutcome } from "@haft/core";
import { isDeepStrictEqual } from "node:util";
import type { McpLiveCall, RequestedCall } from "./live-call.ts";

/** Calls per conversation that outlived their request. */
const MAX_WAITING_CALLS = 256;

interface StoredCall {
  readonly live: McpLiveCall;
  outcome?: ToolOutcome;
  isDelivered: boolean;
}

/** Stores calls that outlived their request, with outcomes; drops the oldest. */
export class WaitingCalls {
  readonly #stored = new Map<string, StoredCall>();

  add(live: McpLiveCall): void {
    if (this.#stored.has(live.id)) return;
    const stored: StoredCall = { live, isDelivered: false };
    this.#stored.set(live.id, stored);
    void live.ended.then((outcome) => (stored.outcome = outcome));
    for (const id of this.#stored.keys()) {
      if (this.#stored.size <= MAX_WAITING_CALLS) break;
      this.#stored.delete(id);
    }
  }

  get hasNews(): boolean {
    return [...this.#stored.values()].some(
      ({ outcome, isDelivered }) => outcome === undefined || !isDelivered,
    );
  }

  get(id: string): McpLiveCall | undefined {
    return this.#stored.get(id)?.live;
  }

  hasEnded({ id }: McpLiveCall): boolean {
    return this.#stored.get(id)?.outcome !== undefined;
  }

  delivered({ id }: McpLiveCall): void {
    const stored = this.#stored.get(id);
    if (stored !== undefined) stored.isDelivered = true;
  }

  find(wanted: RequestedCall): McpLiveCall | undefined {
    const isIt = ({ live, outcome }: StoredCall) =>
      outcome === undefined && live.hasWaited && isSameCall(live.requested, wanted);
    return [...this.#stored.values()].find(isIt)?.live;
  }

  take(wanted: RequestedCall): ToolOutcome | undefined {
    for (const stored of this.#stored.values()) {
      if (stored.outcome === undefined || stored.isDelivered || !isSameCall(stored.live.requested, wanted))
        continue;
      stored.isDelivered = true;
      return stored.outcome;
    }
    return undefined;
  }
}

export function isSameCall(one: RequestedCall, other: RequestedCall): boolean {
  return one.name === other.name && isDeepStrictEqual(one.arguments ?? {}, other.arguments ?? {});
}
