import { mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteStore } from "../../src/index.ts";

function aStore() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-store-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "state", "haft.db");
  const store = openSqliteStore({ path });
  onTestFinished(() => store.close());
  return { folder, path, store };
}

const opening = {
  sessionKey: "key",
  facts: { agentId: "main", kind: "main", model: "", messageChannel: "" },
  workspace: { place: "host", cwd: "/" },
  mode: "plan",
} as const;

const record = (seq: number) =>
  ({
    seq,
    toolCallId: `call_${seq}`,
    epoch: 1,
    toolName: "exec",
    status: "executing",
    createdAt: seq,
  }) as const;

test("does not write into a removed file", async () => {
  const { folder, path, store } = aStore();
  const run = await store.ledger.open(opening);
  await run.write([record(1)]);
  rmSync(join(folder, "state"), { recursive: true });
  for (let tries = 0; tries < 2; tries++)
    expect(() => run.write([record(2)])).toThrow(`${path} no longer exists.`);
  await expect(store.ledger.runs()).rejects.toMatchObject({ code: "STORE_FAILED", receipt: "none" });
});

test("does not write into a replacement file, and continues with its own file when it is back", async () => {
  const { folder, path, store } = aStore();
  const run = await store.ledger.open(opening);
  renameSync(join(folder, "state"), join(folder, "away"));
  const other = openSqliteStore({ path });
  await (await other.ledger.open(opening)).close();
  await other.close();
  expect(() => run.write([record(1)])).toThrow(`${path} was replaced by another file.`);
  rmSync(join(folder, "state"), { recursive: true });
  renameSync(join(folder, "away"), join(folder, "state"));
  await run.write([record(1)]);
  expect(await run.read("call_1")).toMatchObject({ status: "executing" });
});

test("does not write the end of a call after the file was removed", async () => {
  const { folder, path, store } = aStore();
  const run = await store.ledger.open(opening);
  await run.write([record(1)]);
  rmSync(join(folder, "state"), { recursive: true });
  // Within a millisecond of the beginning it is not looked for once more.
  await sleep(5);
  const ended = { ...record(1), status: "completed", outcome: "ok" } as const;
  expect(() => run.write([ended])).toThrow(`${path} no longer exists.`);
});
