import type { AuditEntry } from "@haft/config";

/** Counts calls of one kind. */
export interface Evidence {
  /** Includes questions that were stored. */
  asked: number;
  /** Their answers are unknown. */
  prompted: number;
  allowed: number;
  denied: number;
  /** The guard would have asked about or denied these. */
  watched: number;
  free: number;
  /** In UTC. */
  days: number;
  agents: Readonly<Record<string, number>>;
  /** Milliseconds since the epoch. */
  first: number;
  /** Milliseconds since the epoch. */
  last: number;
}

const DAY = 86_400_000;
const MAX_DAYS = 4000;

export class EvidenceCount {
  #evidence: Evidence = {
    asked: 0,
    prompted: 0,
    allowed: 0,
    denied: 0,
    watched: 0,
    free: 0,
    days: 0,
    agents: {},
    first: Number.POSITIVE_INFINITY,
    last: 0,
  };
  readonly #days = new Set<number>();

  add({ at, guard, decision, approvalId }: AuditEntry): void {
    const { agent, answer, answered, watched } = guard!;
    const is = this.#evidence;
    if (answered !== undefined) is[answered === "allow" ? "allowed" : "denied"]++;
    else if ((decision?.effect ?? "allow") === "allow") is.free++;
    else if (watched) is.watched++;
    else if (answer === "ask") [is.asked, is.prompted] = [is.asked + 1, is.prompted + 1];
    else if (approvalId !== undefined || decision?.effect === "ask") is.asked++;
    if (this.#days.size < MAX_DAYS) this.#days.add(Math.floor(at / DAY));
    this.#evidence = {
      ...is,
      days: this.#days.size,
      agents: { ...is.agents, [agent]: (is.agents[agent] ?? 0) + 1 },
      first: Math.min(is.first, at),
      last: Math.max(is.last, at),
    };
  }

  get evidence(): Evidence {
    return this.#evidence;
  }
}

/**
 * Returns the number of calls that ran or may have run.
 *
 * @example
 * ```ts
 * import { type Suggestion, timesSeen } from "@haft/guard/internal/agents";
 * declare const suggestion: Suggestion;
 * const often = suggestion.proposals.filter(({ evidence }) => evidence.some((one) => timesSeen(one) > 10));
 * ```
 */
export function timesSeen({ prompted, allowed, watched, free }: Evidence): number {
  return prompted + allowed + watched + free;
}
