import {
  type CallQuery,
  type CallRecord,
  createMemoryStore,
  type LedgerStore,
  type RunRecord,
} from "@haft/core/kernel";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createCall, createRun, START_TIME } from "../ledger/records.ts";
import { openInspectedHost } from "../support/inspector-client.ts";

interface Made {
  runs?: readonly RunRecord[];
  calls: number;
  call?: (seq: number) => CallRecord;
  /** Told of each part that is read. */
  onPart?: (first: number) => void;
}

/** A ledger whose calls are made as they are asked for. */
function madeLedger({
  runs = [createRun()],
  calls,
  call = (seq) => createCall(seq),
  onPart,
}: Made): LedgerStore {
  const of = (runId: string, seq: number) => ({ ...call(seq), runId, sessionKey: runs[0]!.sessionKey });
  return Object.assign(createMemoryStore(), {
    async runs({ limit = 100, after }: { limit?: number; after?: string } = {}) {
      const newest = runs.toReversed();
      const from = newest.findIndex(({ runId }) => runId === after) + 1;
      const items = newest.slice(from, from + limit);
      return { items, ...(from + limit < runs.length && { next: items.at(-1)!.runId }) };
    },
    run: async (runId: string) => runs.find((run) => run.runId === runId),
    async calls({ runId = "", seqRange, order, limit }: CallQuery) {
      const [first, last] = seqRange ?? (order === "oldest" ? [1, limit!] : [calls, calls]);
      if (seqRange !== undefined) onPart?.(first);
      const length = Math.max(0, Math.min(last, calls) - first + 1);
      const items = Array.from({ length }, (_, at) => of(runId, first + at));
      // As a store whose order is that of time.
      return { items: items.toSorted((one, other) => one.createdAt - other.createdAt) };
    },
  });
}

/** The answer to a request, of which nothing is read yet. */
async function answerOf(port: number, token: string, path: string): Promise<IncomingMessage> {
  const sent = request({ port, path, headers: { authorization: `Bearer ${token}` } });
  onTestFinished(() => void sent.destroy());
  sent.on("error", () => undefined);
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.on("error", () => undefined);
  return response;
}

/** Once it has been the same for as long as many pieces take. */
async function settled(count: () => number): Promise<number> {
  for (let before = -1; ;) {
    const now = count();
    if (now === before) return now;
    before = now;
    await sleep(500);
  }
}

const MANY = 60_000;
const { runId } = createRun();
const EXPORT = `/api/ledger/export?run=${runId}&format=jsonl`;
const large = (seq: number) =>
  createCall(seq, { result: { content: [{ type: "text", text: "x".repeat(2_000) }], details: {} } });

test.each(["jsonl", "json"])(
  "%s: reads a long ledger on demand, and stops when the reader leaves",
  async (format) => {
    let parts = 0;
    const store = madeLedger({ calls: MANY, call: large, onPart: () => parts++ });
    const { page } = await openInspectedHost({ store });
    const path = EXPORT.replace("jsonl", format);
    const response = await answerOf(page.served.port, page.token, path);
    response.pause();
    const taken = await settled(() => parts);
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(MANY / 100 / 4);
    response.resume();
    await once(response, "data");
    response.destroy();
    const left = await settled(() => parts);
    expect(left).toBeLessThan(MANY / 100 / 2);
  },
);

test("exports all calls in order despite changed clocks, and cuts the connection of an incomplete export", async () => {
  const calls = 1_234;
  const store = madeLedger({
    calls,
    call: (seq) => createCall(seq, { createdAt: START_TIME - seq * 1_000 }),
  });
  const { page } = await openInspectedHost({ store });
  const lines = (await page.ask(EXPORT)).text.trim().split("\n");
  const seqs = lines.slice(1).map((line) => (JSON.parse(line) as { call: CallRecord }).call.seq);
  expect(seqs).toEqual(Array.from({ length: calls }, (_, at) => at + 1));
  const json = await page.get(EXPORT.replace("jsonl", "json"));
  expect(json.runs).toMatchObject([{ run: { runId } }]);
  expect(json.runs[0].calls.map(({ seq }: CallRecord) => seq)).toEqual(seqs);

  const failing = madeLedger({
    calls: 2_000,
    call: large,
    onPart(first) {
      if (first > 1_000) throw new Error("The disk is gone.");
    },
  });
  const { page: other } = await openInspectedHost({ store: failing });
  for (const format of ["jsonl", "json"]) {
    const response = await answerOf(other.served.port, other.token, EXPORT.replace("jsonl", format));
    const ended: string[] = [];
    response.on("end", () => ended.push("whole")).on("aborted", () => ended.push("cut"));
    const closed = new Promise((resolve) => void response.on("close", resolve));
    response.resume();
    await closed;
    expect(ended).toEqual(["cut"]);
  }
});

test("exports every run of a long conversation", async () => {
  const runs = Array.from({ length: 2_345 }, (_, at) =>
    createRun({ runId: `r${String(at).padStart(5, "0")}`, openedAt: START_TIME + at }),
  );
  const { page } = await openInspectedHost({ store: madeLedger({ runs, calls: 1 }) });
  const { runs: got } = await page.get(
    `/api/ledger/export?session=${encodeURIComponent(createRun().sessionKey)}&format=json`,
  );
  expect(got.map(({ run }: { run: RunRecord }) => run.runId)).toEqual(runs.map((run) => run.runId));
});
