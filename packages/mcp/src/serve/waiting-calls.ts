import type { ApprovalRequestRecord, ToolOutcome } from "@haft/core";
import { isDeepStrictEqual } from "node:util";

/** Calls of one conversation that are remembered after they were answered as waiting. */
const MOST = 256;

/** A call as it came. */
export interface WantedCall {
  readonly name: string;
  readonly arguments?: Record<string, unknown> | undefined;
}

/** A call that was answered as waiting for a decision. */
export interface Waiting {
  /** In the ledger. */
  readonly id: string;
  readonly wanted: WantedCall;
  readonly pending: Extract<ToolOutcome, { kind: "pending" }>;
  /** What is asked; absent when it was decided in the same moment. */
  readonly request: ApprovalRequestRecord | undefined;
  /** What became of it. */
  readonly ended: Promise<ToolOutcome>;
  readonly abort: () => void;
}

interface Kept {
  readonly waiting: Waiting;
  outcome?: ToolOutcome;
  isDelivered: boolean;
}

/** What became of calls that waited, for whoever asks later. The oldest are forgotten first. */
export class WaitingCalls {
  readonly #kept = new Map<string, Kept>();

  add(waiting: Waiting): void {
    const kept: Kept = { waiting, isDelivered: false };
    this.#kept.set(waiting.id, kept);
    void waiting.ended.then((outcome) => (kept.outcome = outcome));
    for (const id of this.#kept.keys()) {
      if (this.#kept.size <= MOST) break;
      this.#kept.delete(id);
    }
  }

  get(id: string): Waiting | undefined {
    return this.#kept.get(id)?.waiting;
  }

  hasEnded({ id }: Waiting): boolean {
    return this.#kept.get(id)?.outcome !== undefined;
  }

  delivered({ id }: Waiting): void {
    const kept = this.#kept.get(id);
    if (kept !== undefined) kept.isDelivered = true;
  }

  /** The outcome of the same call, where it ended after it was answered as waiting and nobody was told. Once. */
  take(wanted: WantedCall): ToolOutcome | undefined {
    for (const kept of this.#kept.values()) {
      if (kept.outcome === undefined || kept.isDelivered || !isSame(kept.waiting.wanted, wanted)) continue;
      kept.isDelivered = true;
      return kept.outcome;
    }
    return undefined;
  }
}

/** Whether two calls have the same tool and arguments. */
export function isSame(one: WantedCall, other: WantedCall): boolean {
  return one.name === other.name && isDeepStrictEqual(one.arguments ?? {}, other.arguments ?? {});
}
