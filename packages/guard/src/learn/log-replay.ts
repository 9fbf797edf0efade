import type { AuditEntry } from "@haft/config";
import { isGuardedCall } from "@haft/config/internal/audit";
import type { LogJudge } from "./log-judge.ts";
import { MAX_CACHED_OUTCOMES } from "./log-summary.ts";
import { parseLoggedCall, toDecisionKey } from "./logged-call.ts";

/** Compares decisions of current and proposed rules. */
export interface ReplaySummary {
  calls: number;
  same: number;
  /** Keys: `ask > allow`. */
  changes: Readonly<Record<string, number>>;
  /** Calls without a decision, by reason. */
  left: Readonly<Record<string, number>>;
}

export class LogReplay {
  readonly #before: LogJudge;
  readonly #after: LogJudge;
  readonly #known = new Map<string, readonly [string, string]>();
  readonly #changes: Record<string, number> = {};
  readonly #left: Record<string, number> = {};
  #calls = 0;
  #same = 0;

  constructor(before: LogJudge, after: LogJudge) {
    this.#before = before;
    this.#after = after;
  }

  async add(entry: AuditEntry): Promise<void> {
    if (!isGuardedCall(entry)) return;
    const key = toDecisionKey(entry);
    let known = this.#known.get(key);
    if (known === undefined) {
      const call = parseLoggedCall(entry);
      if ("why" in call) {
        this.#left[call.why] = (this.#left[call.why] ?? 0) + 1;
        return;
      }
      const [was, is] = [await this.#before.judge(call), await this.#after.judge(call)];
      known = [was?.effect ?? "deny", is?.effect ?? "deny"];
      if (this.#known.size >= MAX_CACHED_OUTCOMES) this.#known.clear();
      this.#known.set(key, known);
    }
    const [was, is] = known;
    this.#calls++;
    if (was === is) this.#same++;
    else this.#changes[`${was} > ${is}`] = (this.#changes[`${was} > ${is}`] ?? 0) + 1;
  }

  get summary(): ReplaySummary {
    return { calls: this.#calls, same: this.#same, changes: this.#changes, left: this.#left };
  }
}
