import {
  type CallRecord,
  matchesQuery,
  type LedgerRun,
  type LedgerStore,
  getPageLimit,
  paginate,
  requireRunForRange,
  type RunOpening,
  type RunRecord,
} from "@haft/core/internal";
import type { Link } from "../connection/link.ts";
import { sessionToken } from "../connection/names.ts";
import { toUnavailableError } from "../connection/nats-error.ts";
import { forgetRun } from "./forget-run.ts";
import type { LoggedCall } from "./messages.ts";
import { readLog, readRecords } from "./read-log.ts";
import type { RunsBucket } from "./runs-bucket.ts";
import { type LedgerContext, getLogSubject, takeRun } from "./take-run.ts";

/** Limits the messages of a query, without and with records. */
const MOST = { heads: 100_000, whole: 20_000 };

export class NatsLedger implements LedgerStore {
  readonly #link: Link;
  readonly #runs: RunsBucket;
  readonly #context: LedgerContext;

  constructor(context: LedgerContext) {
    this.#link = context.link;
    this.#runs = context.runs;
    this.#context = context;
  }

  async open(opening: RunOpening): Promise<LedgerRun> {
    return await this.#asLedger(() => takeRun(this.#context, opening));
  }

  async runs({ sessionKey, limit, after }: Parameters<LedgerStore["runs"]>[0] = {}) {
    const page = { ...(limit !== undefined && { limit }), ...(after !== undefined && { after }) };
    return await this.#asLedger(async () => {
      const runs = (await this.#runs.find({ sessionKey })).map(({ run }) => run);
      return paginate(runs, ({ runId }) => [runId], page);
    });
  }

  async run(runId: string): Promise<RunRecord | undefined> {
    return await this.#asLedger(async () => (await this.#runs.find({ runId }))[0]?.run);
  }

  async call(runId: string, toolCallId: string): Promise<CallRecord | undefined> {
    return await this.#asLedger(async () => {
      const [entry] = await this.#runs.find({ runId });
      if (entry === undefined) return undefined;
      const subject = getLogSubject(this.#link, entry.run);
      const { calls } = await readLog(this.#link, subject);
      const found = calls.get(subject)?.get(toolCallId);
      return found && (await readRecords(this.#link, [found]))[0];
    });
  }

  /** Reads the states of all calls, without an index. */
  async calls(query: Parameters<LedgerStore["calls"]>[0]) {
    getPageLimit(query.limit);
    requireRunForRange(query);
    return await this.#asLedger(async () => {
      const entries = await this.#runs.find(query);
      const whole = query.path !== undefined;
      const bound = { whole, atMost: whole ? MOST.whole : MOST.heads };
      const filter = this.#filterOf(query);
      const calls = entries.length === 0 ? undefined : (await readLog(this.#link, filter, bound)).calls;
      const fitting: (LoggedCall & { run: RunRecord })[] = [];
      for (const { run } of entries)
        for (const found of calls?.get(getLogSubject(this.#link, run))?.values() ?? [])
          if (matchesQuery(found.past, query)) fitting.push({ ...found, run });
      const page = paginate(fitting, ({ past, run }) => [past.createdAt, run.runId, past.seq], query);
      const records = await readRecords(this.#link, page.items);
      const items = records.flatMap((record, index) => {
        const { runId, sessionKey } = page.items[index]!.run;
        return record === undefined ? [] : [{ ...record, runId, sessionKey }];
      });
      return { ...page, items };
    });
  }

  async forget(which: Parameters<LedgerStore["forget"]>[0]): Promise<number> {
    return await this.#asLedger(async () => {
      const before = "before" in which ? which.before : Number.POSITIVE_INFINITY;
      const entries = await this.#runs.find("before" in which ? {} : which);
      let forgotten = 0;
      for (const entry of entries)
        if (entry.run.openedAt < before && entry.holder === undefined)
          forgotten += await forgetRun(this.#link, this.#runs, entry);
      return forgotten;
    });
  }

  async close(): Promise<void> {
    await this.#link.close();
  }

  #filterOf({
    sessionKey,
    runId,
  }: Pick<Parameters<LedgerStore["calls"]>[0], "sessionKey" | "runId">): string {
    return this.#link.names.log(sessionKey === undefined ? "*" : sessionToken(sessionKey), runId ?? "*");
  }

  async #asLedger<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      throw toUnavailableError(thrown);
    }
  }
}
