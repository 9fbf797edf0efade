import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { ALLOW, sampleRequest } from "../../src/testing/approvals/samples.ts";
import { sampleCall, sampleOpening, WAITING_CALL } from "../../src/testing/ledger/samples.ts";
import { openTestStore, temporaryDatabase } from "../support/temporary-store.ts";

const SECRET = "hunter2-of-the-call";

/** The files of the store in which it is. Another program looks: one that closes the file here loses SQLite's locks on it. */
function filesWithSecret(path: string): string[] {
  const { stdout, status } = spawnSync("grep", ["-rlaF", SECRET, dirname(path)], { encoding: "utf8" });
  if (status !== 0 && status !== 1) throw new Error("grep could not look.");
  return stdout.split("\n").filter(Boolean);
}

/** A store that somebody works with: its run is held, and so it looks after its file every few seconds. */
async function createStore() {
  const path = temporaryDatabase();
  const store = openTestStore(path);
  const run = await store.ledger.open(sampleOpening());
  const ask = (id: string, more = {}) =>
    store.approvals.addRequest({ ...sampleRequest(id), args: { command: SECRET }, ...more });
  return { path, run, ask, ...store };
}

test("files and folder of a waiting request are readable only by their owner", async () => {
  const { path, ask } = await createStore();
  await ask("asked123");
  expect(filesWithSecret(path)).not.toEqual([]);
  for (const name of readdirSync(dirname(path)))
    expect([name, statSync(join(dirname(path), name)).mode & 0o777]).toEqual([name, 0o600]);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
});

test("no file contains the arguments of a decided request, even in an open store with a reader", async () => {
  const { path, approvals, ask } = await createStore();
  await ask("asked123");
  await approvals.answer("asked123", ALLOW);
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM requests").get();
  await approvals.takeAnswer!({ approvalId: "asked123" });
  expect(filesWithSecret(path)).not.toEqual([]);
  reader.exec("COMMIT");
  await until("no file has it", () => filesWithSecret(path).length === 0);
  reader.close();
});

test("erases the arguments of its call as well after the call has started", async () => {
  const { path, run } = await createStore();
  const call = sampleCall(1, { ...WAITING_CALL, args: { command: SECRET } });
  await run.write([call]);
  expect(filesWithSecret(path)).not.toEqual([]);
  await run.write([
    { ...call, status: "executing", startedAt: call.createdAt, args: { command: "[secret]" } },
  ]);
  await until("no file has it", () => filesWithSecret(path).length === 0);
});

test("erases an expired request in a running host, and when the next host opens the file", async () => {
  const { path, ask, approvals, close } = await createStore();
  await ask("soon1234", { expiresAt: Date.now() + 50 });
  await until("no file has it", () => filesWithSecret(path).length === 0);
  expect(await approvals.find!("soon1234")).toMatchObject({ state: "expired" });

  await ask("late1234", { expiresAt: Date.now() + 1_000_000 });
  await close();
  expect(filesWithSecret(path)).not.toEqual([]);
  vi.useFakeTimers({ now: Date.now() + 2_000_000, toFake: ["Date"] });
  try {
    const next = openTestStore(path);
    expect(await next.approvals.requests()).toEqual([]);
    await next.close();
  } finally {
    vi.useRealTimers();
  }
  expect(filesWithSecret(path)).toEqual([]);
});
