import { expect, test } from "vitest";
import type { ProcessRecord } from "../../src/index.ts";
import { sampleCall, sampleOpening } from "../../src/testing/ledger/samples.ts";
import { openTestStore, temporaryDatabase } from "../support/temporary-store.ts";

function commandOf(id: string, fate = "its host has ended"): ProcessRecord {
  return {
    info: { id, pid: 7, command: "sleep 1", state: "running", startedAt: 1 } as ProcessRecord["info"],
    fate,
  };
}

test("stores the commands of a run with this run only", async () => {
  const path = temporaryDatabase();
  const store = openTestStore(path);
  const run = await store.ledger.open(sampleOpening());
  const { runId } = run.record;
  await run.write([sampleCall(1)]);
  await run.close();
  for (const kept of [commandOf("a"), commandOf("b"), commandOf("a", "it ended")])
    await store.processes.put(runId, kept);
  await store.processes.put("other", commandOf("a"));
  const there = openTestStore(path);
  expect(await there.processes.list(runId)).toEqual([commandOf("a", "it ended"), commandOf("b")]);
  await there.processes.remove(runId, "b");
  await there.processes.remove(runId, "nothing");
  expect(await store.processes.list(runId)).toHaveLength(1);
  await store.ledger.forget({ runId });
  expect(await there.processes.list(runId)).toEqual([]);
  expect(await there.processes.list("other")).toHaveLength(1);
});

test("limits the records and removes the oldest first", async () => {
  const { processes } = openTestStore(temporaryDatabase());
  for (let at = 1; at <= 503; at++) await processes.put("run", commandOf(`c${at}`));
  const stored = await processes.list("run");
  expect(stored).toHaveLength(500);
  expect(stored[0]!.info.id).toBe("c4");
});
