import { expect, test } from "vitest";
import type { KeptProcess } from "../../src/index.ts";
import { callOf, openingOf } from "../../src/testing/ledger/samples.ts";
import { storeIn, temporaryDatabase } from "../support/temporary-store.ts";

function commandOf(id: string, fate = "its host has ended"): KeptProcess {
  return {
    info: { id, pid: 7, command: "sleep 1", state: "running", startedAt: 1 } as KeptProcess["info"],
    fate,
  };
}

test("the commands of a run are kept with it, and of no other", async () => {
  const path = temporaryDatabase();
  const store = storeIn(path);
  const run = await store.ledger.open(openingOf());
  const { runId } = run.record;
  await run.write([callOf(1)]);
  await run.close();
  for (const kept of [commandOf("a"), commandOf("b"), commandOf("a", "it ended")])
    await store.processes.put(runId, kept);
  await store.processes.put("other", commandOf("a"));
  const there = storeIn(path);
  expect(await there.processes.of(runId)).toEqual([commandOf("a", "it ended"), commandOf("b")]);
  await there.processes.remove(runId, "b");
  await there.processes.remove(runId, "nothing");
  expect(await store.processes.of(runId)).toHaveLength(1);
  await store.ledger.forget({ runId });
  expect(await there.processes.of(runId)).toEqual([]);
  expect(await there.processes.of("other")).toHaveLength(1);
});

test("so many of each, the oldest going first", async () => {
  const { processes } = storeIn(temporaryDatabase());
  for (let at = 1; at <= 503; at++) await processes.put("run", commandOf(`c${at}`));
  const kept = await processes.of("run");
  expect(kept).toHaveLength(500);
  expect(kept[0]!.info.id).toBe("c4");
});
