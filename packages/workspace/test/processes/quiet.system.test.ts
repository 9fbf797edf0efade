import { findProcess } from "@haft/system";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readAll, session, start, until, START_MODES } from "./support.ts";

/** Ticks of processor time a process has used so far. */
function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

test("uses no CPU time while it waits for a silent command", async () => {
  const { processes } = session(START_MODES["runner among all processes"]);
  const infos = await Promise.all(Array.from({ length: 10 }, () => start(processes, "sleep 300")));
  const waiting = infos.map(({ id }) => processes.read(id, 0, { waitMs: 60_000 }));
  const runner = findProcess(infos[0]!.pid)!.parent;
  // A tick is 10 ms. On a busy machine the runner may still be starting: it has to come to rest, and who asks again
  // and again never does.
  const spent: number[] = [];
  await until("it rests", async () => {
    const before = ticksOf(runner);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return spent.push(ticksOf(runner) - before) > 0 && spent.at(-1)! <= 2;
  });
  expect(spent.at(-1)).toBeLessThanOrEqual(2);
  await processes.close({ graceMs: 0 });
  await Promise.all(waiting);
});

test("loses no output while the host is busy", async () => {
  const { processes } = session();
  const { id } = await start(processes, "sleep 0.1; seq 1 200000; sleep 0.1; echo end");
  const deadline = Date.now() + 400;
  while (Date.now() < deadline);
  const { state } = await processes.wait(id);
  const all = await readAll(processes, id);
  expect(state).toBe("exited");
  expect(all.dropped).toBe(0);
  expect(all.all.toString().split("\n").slice(0, 3)).toEqual(["1", "2", "3"]);
  expect(all.all.toString().endsWith("\n200000\nend\n")).toBe(true);
});

test("ends only the start that is cancelled", async () => {
  const { processes } = session();
  const slow = await processes.start("slow", { script: "sleep 300" });
  const controller = new AbortController();
  const cancelled = processes
    .start("cancelled", { script: "sleep 300" }, { waitMs: 60_000, signal: controller.signal })
    .catch((thrown: unknown) => thrown);
  await until("it runs", async () => (await processes.list()).length === 2);
  controller.abort();
  expect(await cancelled).toMatchObject({ code: "ABORTED", receipt: "unknown" });
  await until("it is ended", async () => (await processes.list())[1]!.state === "exited");
  expect((await processes.info(slow.id))!.state).toBe("running");
});

test("removes ended processes without a release in the end, oldest first", async () => {
  const { processes } = session({ startedBy: "host" });
  const first = await processes.start("first", { script: "true" }, { waitMs: 60_000 });
  for (let n = 0; n < 256; n++) await processes.start(`n${n}`, { argv: ["true"] }, { waitMs: 60_000 });
  await until("the first is gone", async () => (await processes.info(first.id)) === undefined);
  expect((await processes.list()).length).toBe(256);
});
