import type { CallRecord, LedgerStore } from "@haft/core/internal";
import { sampleOpening } from "../../../store/test/nats/support/internals.ts";
import { createIdentity, memoryRecords } from "../../src/index.ts";
import { Machine } from "./machine.ts";
import type { Computer } from "./network.ts";
import { startHost } from "./processes.ts";
import type { Scene } from "./story.ts";

/** Once all is mended: takes what the dead have left, and compares the ledger with what was seen. */
export async function audit(scene: Scene): Promise<void> {
  const { world, network, invariants } = scene;
  for (const station of scene.hosts) station.kill();
  // Whatever nodes have begun they end.
  await world.runUntil(() => false, world.now + 35_000);
  for (const station of scene.nodes) station.kill();
  const hardware = { rate: 1, date: 1_800_000_000_000, uptime: 1_000 };
  const machine = new Machine(world, "auditor", hardware);
  const computer: Computer = { name: "auditor", hardware, isCut: false, machine };
  let isOver = false;
  let failed: unknown;
  machine.do(() => {
    void inspect(scene, computer, machine)
      .catch((thrown: unknown) => (failed = thrown))
      .finally(() => (isOver = true));
  });
  await world.runUntil(() => isOver, world.now + 3_600_000);
  machine.kill();
  if (failed !== undefined || !isOver) invariants.broken.push(`the ledger cannot be read: ${String(failed)}`);
  const stream = network.server.jetstream.stream("haft_ledger");
  for (const [subject, sequences] of stream.bySubject) {
    if (!subject.endsWith(".log")) continue;
    const holders = [...sequences].map((seq) => stream.messages.get(seq)!.headers.get("Haft-Holder") ?? "");
    invariants.compareHolders(subject, holders);
  }
}

async function inspect(scene: Scene, computer: Computer, machine: Machine): Promise<void> {
  const { invariants } = scene;
  const auditor = { identity: createIdentity(), pairings: memoryRecords<never>() };
  const { store } = await startHost(scene, computer, machine, auditor);
  const runs = await pages((after) => store.runs({ limit: 1_000, ...after }));
  const unsettled = new Set(
    (await all(store)).flatMap(({ status, runId }) =>
      status === "executing" || status === "pending" ? [runId] : [],
    ),
  );
  await Promise.all(
    runs.map(async ({ runId, sessionKey, facts, workspace, heldBy }) => {
      if (heldBy === undefined && !unsettled.has(runId)) return;
      const run = await store.open(
        sampleOpening({ sessionKey, facts, workspace, resume: runId, takeOver: true }),
      );
      await run.close();
    }),
  );
  const bySession = new Map<string, CallRecord[]>();
  for (const { sessionKey, ...record } of await all(store))
    bySession.set(sessionKey, [...(bySession.get(sessionKey) ?? []), record]);
  const sessions = new Set([...invariants.calls.values()].map(({ session }) => session));
  for (const session of sessions) invariants.compare(session, bySession.get(session) ?? []);
  invariants.count("sessions", sessions.size);
  invariants.count("runs", runs.length);
}

function all(store: LedgerStore) {
  return pages((after) => store.calls({ limit: 1_000, order: "oldest", ...after }));
}

async function pages<T>(
  page: (after: { after?: string }) => Promise<{ items: readonly T[]; next?: string }>,
): Promise<T[]> {
  const items: T[] = [];
  for (let after: string | undefined; ;) {
    const { items: some, next } = await page(after === undefined ? {} : { after });
    items.push(...some);
    if (next === undefined) return items;
    after = next;
  }
}
