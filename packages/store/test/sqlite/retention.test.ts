import { readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { Database } from "../../src/sqlite/database/database.ts";
import { CallIndex } from "../../src/sqlite/ledger/call-index.ts";
import { SqliteRetention } from "../../src/sqlite/ledger/retention.ts";
import {
  sampleCall,
  createClosedRun,
  sampleOpening,
  WAITING_CALL,
} from "../../src/testing/ledger/samples.ts";
import { openTestStore, temporaryDatabase } from "../support/temporary-store.ts";

const DAY_MS = 24 * 60 * 60_000;
const large = (seq: number, createdAt: number) =>
  sampleCall(seq, { createdAt, result: { bytes: 1, sha256: "0", head: `${seq}`.repeat(2000) } });

/** All steps there are to do on a file, and how many those were. */
function letGo(path: string, keep: { days: number; bytes: number }): number {
  const database = new Database({ path, durability: "process", hasRow: () => true });
  const notes = new CallIndex(database);
  const retention = new SqliteRetention(database, notes, keep);
  let steps = 0;
  while (retention.step()) steps += 1;
  database.close();
  return steps;
}

test("removes old calls and their runs, but no waiting call, newer call or held run", async () => {
  const path = temporaryDatabase();
  const { ledger, check } = openTestStore(path);
  const old = Date.now() - 40 * DAY_MS;
  const removed = await createClosedRun(ledger, [
    sampleCall(1, { createdAt: old }),
    sampleCall(2, { createdAt: old }),
  ]);
  const waits = await createClosedRun(ledger, [
    sampleCall(1, { createdAt: old }),
    sampleCall(2, { ...WAITING_CALL, createdAt: old }),
    sampleCall(3, { createdAt: Date.now() }),
  ]);
  const held = await ledger.open(sampleOpening());
  await held.write([sampleCall(1, { createdAt: old }), sampleCall(2, { createdAt: old })]);
  letGo(path, { days: 30, bytes: 1e9 });
  expect((await ledger.calls({ runId: removed })).items).toEqual([]);
  const left = (await ledger.calls({ runId: waits, order: "oldest" })).items;
  expect(left.map(({ toolCallId }) => toolCallId)).toEqual(["call_2", "call_3"]);
  // It goes on counting from its last one.
  expect((await ledger.calls({ runId: held.record.runId })).items.map(({ seq }) => seq)).toEqual([2]);
  expect((await ledger.calls({ path: "/work" })).items).toHaveLength(3);
  expect(await check()).toEqual([]);
});

test("removes the oldest calls of a large file in small steps and shrinks the file", async () => {
  const path = temporaryDatabase();
  const store = openTestStore(path);
  const now = Date.now();
  await createClosedRun(
    store.ledger,
    Array.from({ length: 1000 }, (_, index) => large(index + 1, now + index)),
  );
  await store.close();
  const before = statSync(path).size;
  expect(letGo(path, { days: 30, bytes: before / 2 })).toBeGreaterThan(2);
  expect(statSync(path).size).toBeLessThan(before * 0.6);
  const { ledger, check } = openTestStore(path);
  const { items } = await ledger.calls({ limit: 1000 });
  expect(items[0]?.seq).toBe(1000);
  expect(items.length).toBeGreaterThan(100);
  expect(items.map(({ seq }) => seq)).toEqual(items.map((_, index) => 1000 - index));
  expect(await check()).toEqual([]);
});

test("a removed call cannot be read from the file", async () => {
  const path = temporaryDatabase();
  const store = openTestStore(path);
  const secret = "open sesame ".repeat(900);
  const runId = await createClosedRun(store.ledger, [sampleCall(1, { args: { secret } })]);
  expect(await store.ledger.forget({ runId })).toBe(1);
  await store.close();
  expect(readFileSync(path).includes("open sesame")).toBe(false);
});
