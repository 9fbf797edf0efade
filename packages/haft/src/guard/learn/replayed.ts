import { type AuditEntry, isAgentsCall } from "../../audit/audit-entry.ts";
import { MOST_KNOWN } from "./learned.ts";
import type { LogJudge } from "./log-judge.ts";
import { loggedCall, sameCall } from "./logged-call.ts";

export interface Replayed {
  calls: number;
  same: number;
  /** `ask > allow` and the like: how many are decided otherwise. */
  changes: Readonly<Record<string, number>>;
  left: Readonly<Record<string, number>>;
}

export class Replay {
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
    if (!isAgentsCall(entry)) return;
    const key = sameCall(entry);
    let known = this.#known.get(key);
    if (known === undefined) {
      const call = loggedCall(entry);
      if ("why" in call) {
        this.#left[call.why] = (this.#left[call.why] ?? 0) + 1;
        return;
      }
      const [was, is] = [await this.#before.judge(call), await this.#after.judge(call)];
      known = [was?.effect ?? "deny", is?.effect ?? "deny"];
      if (this.#known.size >= MOST_KNOWN) this.#known.clear();
      this.#known.set(key, known);
    }
    const [was, is] = known;
    this.#calls++;
    if (was === is) this.#same++;
    else this.#changes[`${was} > ${is}`] = (this.#changes[`${was} > ${is}`] ?? 0) + 1;
  }

  get replayed(): Replayed {
    return { calls: this.#calls, same: this.#same, changes: this.#changes, left: this.#left };
  }
}
