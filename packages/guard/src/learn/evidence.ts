import type { AuditEntry } from "@haft/config";

/** How often calls of one kind occur in an audit log. */
export interface Evidence {
  /** Questions: those in the prompt of the agent, and those that were stored for an answer. */
  asked: number;
  /** Questions in the prompt of the agent. The log does not have their answers. */
  prompted: number;
  /** Answers of people that allowed a call. */
  allowed: number;
  /** Answers of people that denied a call. */
  denied: number;
  /** Calls that were only watched, and that the guard would have asked about or denied. */
  watched: number;
  /** Calls without a question. */
  free: number;
  /** Number of days (UTC) with such calls. */
  days: number;
  /** Number of calls by agent. */
  agents: Readonly<Record<string, number>>;
  /** Time of the first call, in milliseconds since the epoch. */
  first: number;
  /** Time of the last call, in milliseconds since the epoch. */
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
 * Returns the number of calls that ran, or of which it is not known that they did not.
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
