import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { sampleCall, sampleExecutingCall, sampleOpening } from "../../src/testing/ledger/samples.ts";
import { openTestStore, temporaryDatabase } from "../support/temporary-store.ts";

const HEAD_OF_FILE = 32;
const HEAD_OF_PAGE = 24;
const CALLS = 300;

/** Pages that were written to the write-ahead file by what was done, which is not moved into the file meanwhile. */
async function pagesOf(path: string, act: () => Promise<void>): Promise<number> {
  const size = () => statSync(`${path}-wal`).size - HEAD_OF_FILE;
  const before = size();
  await act();
  return (size() - before) / (HEAD_OF_PAGE + 4096);
}

// Each page is two calls of the system and 5 µs. Two are the least there can be; what is above are pages that are new.
test("a changing call writes the page of its row twice, and few other pages", async () => {
  const path = temporaryDatabase();
  const { ledger } = openTestStore(path);
  const run = await ledger.open(sampleOpening());
  const decision = {
    effect: "allow",
    id: "d",
    reason: "It is allowed in main sessions. ".repeat(5),
  } as const;
  const digests = { argsDigest: "a".repeat(43), key: "k".repeat(43) };
  const pages = await pagesOf(path, async () => {
    for (let seq = 1; seq <= CALLS; seq++) {
      await run.write([sampleExecutingCall(seq, { decision, ...digests })]);
      const result = { bytes: 54, sha256: "0".repeat(64), head: "ok" };
      await run.write([sampleCall(seq, { decision, ...digests, fingerprint: "f".repeat(43), result })]);
    }
  });
  expect(pages / CALLS).toBeGreaterThanOrEqual(2);
  expect(pages / CALLS).toBeLessThan(3.2);
});

test("calls written together share their pages", async () => {
  const path = temporaryDatabase();
  const { ledger } = openTestStore(path);
  const run = await ledger.open(sampleOpening());
  const pages = await pagesOf(path, async () => {
    await run.write(Array.from({ length: CALLS }, (_, index) => sampleCall(index + 1)));
  });
  expect(pages / CALLS).toBeLessThan(0.3);
});

test("a row has padding for its end, which reads ignore", async () => {
  const path = temporaryDatabase();
  const { ledger } = openTestStore(path);
  const run = await ledger.open(sampleOpening());
  await run.write([sampleExecutingCall(1)]);
  expect(await run.read("call_1")).toEqual(sampleExecutingCall(1));
  await run.write([sampleCall(1)]);
  expect(await run.read("call_1")).toEqual(sampleCall(1));
  const db = new DatabaseSync(path, { readOnly: true });
  expect(db.prepare("SELECT more = trim(more) AS isBare FROM calls").get()).toEqual(
    expect.objectContaining({ isBare: 1 }),
  );
  db.close();
});
