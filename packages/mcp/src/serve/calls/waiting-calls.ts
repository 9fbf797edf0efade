import type { ToolOutcome } from "@haft/core";
import { isDeepStrictEqual } from "node:util";
import type { McpLiveCall, RequestedCall } from "./live-call.ts";

/** Calls of one conversation that are remembered after a request was answered that they had not ended for. */
const MAX_WAITING_CALLS = 256;

interface Kept {
  readonly live: McpLiveCall;
  outcome?: ToolOutcome;
  isDelivered: boolean;
}

/** Calls that go on without a request, and what became of them, for whoever asks later. The oldest are forgotten first. */
export class WaitingCalls {
  readonly #kept = new Map<string, Kept>();

  add(live: McpLiveCall): void {
    if (this.#kept.has(live.id)) return;
    const kept: Kept = { live, isDelivered: false };
    this.#kept.set(live.id, kept);
    void live.ended.then((outcome) => (kept.outcome = outcome));
    for (const id of this.#kept.keys()) {
      if (this.#kept.size <= MAX_WAITING_CALLS) break;
      this.#kept.delete(id);
    }
  }

  /** Whether one of them goes on, or has come to something that nobody was told. */
  get hasNews(): boolean {
    return [...this.#kept.values()].some(({ outcome, isDelivered }) => outcome === undefined || !isDelivered);
  }

  get(id: string): McpLiveCall | undefined {
    return this.#kept.get(id)?.live;
  }

  hasEnded({ id }: McpLiveCall): boolean {
    return this.#kept.get(id)?.outcome !== undefined;
  }

  delivered({ id }: McpLiveCall): void {
    const kept = this.#kept.get(id);
    if (kept !== undefined) kept.isDelivered = true;
  }

  /** The same call, where it was answered as waiting for a decision and has not ended. */
  find(wanted: RequestedCall): McpLiveCall | undefined {
    const isIt = ({ live, outcome }: Kept) =>
      outcome === undefined && live.hasWaited && isSameCall(live.requested, wanted);
    return [...this.#kept.values()].find(isIt)?.live;
  }

  /** The outcome of the same call, where it ended after it was answered as waiting and nobody was told. Once. */
  take(wanted: RequestedCall): ToolOutcome | undefined {
    for (const kept of this.#kept.values()) {
      if (kept.outcome === undefined || kept.isDelivered || !isSameCall(kept.live.requested, wanted))
        continue;
      kept.isDelivered = true;
      return kept.outcome;
    }
    return undefined;
  }
}

export function isSameCall(one: RequestedCall, other: RequestedCall): boolean {
  return one.name === other.name && isDeepStrictEqual(one.arguments ?? {}, other.arguments ?? {});
}
