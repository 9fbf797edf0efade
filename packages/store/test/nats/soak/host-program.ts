// A host: takes the run, makes calls until it is told to let go, killed, or replaced, and takes it again.
import { HaftError } from "@haft/core";
import type { CallRecord, LedgerRun } from "@haft/core/internal";
import { appendFileSync } from "node:fs";
import { uptime } from "node:os";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { openWithTimes } from "../../../src/nats/open-nats-store.ts";
import { sampleOpening } from "../../../src/testing/ledger/samples.ts";
import type { HostInput } from "./two-hosts.ts";

const { servers, effects, ended, times } = JSON.parse(process.argv[2]!) as HostInput;
const store = await openWithTimes({ servers }, { ...times, clock: () => uptime() * 1000 });
/** What it was told last: to let go of the run, or to end. */
const state: { wish?: string | undefined } = {};
createInterface({ input: process.stdin }).on("line", (line) => {
  state.wish = line;
});

process.stdout.write("0\n");
while (state.wish !== "end") {
  try {
    const run = await store.ledger.open(sampleOpening({ resume: true, takeOver: true }));
    process.stdout.write(`${run.record.epoch}\n`);
    await work(run);
    await run.close();
    if (state.wish === "close") state.wish = undefined;
  } catch (thrown) {
    // The run is somebody else's, or the server is away.
    if (!HaftError.is(thrown)) throw thrown;
  }
  // Whoever waits for it is to have it.
  await sleep(100);
}
await store.close();
process.stdin.destroy();

/** Calls, each written before its effect and after it. @throws HaftError once the run is somebody else's */
async function work(run: LedgerRun): Promise<void> {
  const { epoch } = run.record;
  let seq = run.past.reduce((most, past) => Math.max(most, past.seq), 0);
  /** How calls ended that could not be written then. */
  let owed: CallRecord[] = [];
  while (state.wish === undefined || owed.length > 0) {
    seq += 1;
    const id = `call_${seq}`;
    const call = { seq, toolCallId: id, epoch, toolName: "write", createdAt: Date.now() };
    try {
      await run.write([...owed, { ...call, status: "executing" }]);
      owed = [];
      run.lease.check();
    } catch (thrown) {
      if (run.lease.lost.aborted) throw thrown;
      owed.push({ ...call, status: "failed", outcome: "error", code: "LEDGER_UNAVAILABLE", receipt: "none" });
      await sleep(20);
      continue;
    }
    appendFileSync(effects, `${id} ${epoch}\n`);
    const done: CallRecord = { ...call, status: "completed", outcome: "ok", receipt: "committed" };
    try {
      await run.write([done]);
      appendFileSync(ended, `${id}\n`);
    } catch (thrown) {
      if (run.lease.lost.aborted) throw thrown;
      owed.push(done);
    }
  }
}
