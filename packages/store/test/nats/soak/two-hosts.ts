import type { CallRecord } from "@haft/core/internal";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { LeaseTimes } from "../../../src/nats/ledger/lease-times.ts";
import type { NatsStore } from "../../../src/nats/nats-store.ts";
import { openNatsStore } from "../../../src/nats/open-nats-store.ts";
import { startNats, type TestServer } from "../support/nats-server.ts";

/** What a host is started with. */
export interface HostInput {
  readonly servers: string;
  /** A file with a line for each effect. */
  readonly effects: string;
  /** A file with a line for each call whose end was kept. */
  readonly ended: string;
  readonly times: Omit<LeaseTimes, "clock">;
}

/** What became of the calls of two hosts that took over from each other. */
export interface TakeOvers {
  takeOvers: number;
  killed: number;
  stopped: number;
  closed: number;
  "server killed": number;
  calls: number;
  /** Whose end was said to be kept, and is not. */
  lost: number;
  /** Effects of one call beyond the first. */
  "run twice": number;
  /** Effects of which there is no record. */
  unrecorded: number;
  /** Calls that are said to have ended well, and had no effect. */
  invented: number;
  /** Calls of which nobody knows whether they had their effect. */
  unknown: number;
  /** Effects of a host that was replaced, after its successor had begun; each is one of the unknown. */
  conflicts: number;
}

/** Shorter than for everybody, in the same proportions: what others wait is longer than what the holder has. */
const TIMES = { renewMs: 500, holdMs: 4_000, takeMs: 6_000, sweepMs: 3_600_000 };
const HOST = join(import.meta.dirname, "host-program.ts");

interface Host {
  readonly child: ChildProcess;
  epoch: number;
}

/** Two hosts on one server take a run from each other so many times, by all the ways there are. */
export async function takeOverEachOther(times: number, seed: number): Promise<TakeOvers> {
  const folder = mkdtempSync(join(tmpdir(), "haft-two-hosts-"));
  const server = await startNats();
  const hosts: Host[] = [];
  try {
    const given: HostInput = {
      servers: server.url,
      effects: join(folder, "effects"),
      ended: join(folder, "ended"),
      times: TIMES,
    };
    const done = await play(times, randomOf(seed), server, hosts, given);
    const store = await openNatsStore({ servers: server.url });
    try {
      return { ...done, ...(await count(store, given)) };
    } finally {
      await store.close();
    }
  } finally {
    for (const { child } of hosts) child.kill("SIGKILL");
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function play(
  times: number,
  random: () => number,
  server: TestServer,
  hosts: Host[],
  given: HostInput,
) {
  const seen = { newest: 0, tell: () => {} };
  const start = async () => {
    const child = spawn(process.execPath, ["--conditions=@haft/source", HOST, JSON.stringify(given)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const host: Host = { child, epoch: 0 };
    createInterface({ input: child.stdout }).on("line", (line) => {
      host.epoch = Number(line);
      seen.newest = Math.max(seen.newest, host.epoch);
      seen.tell();
    });
    hosts.push(host);
    // Its first line says that it has reached the server.
    await once(child.stdout, "data");
  };
  const holder = () => hosts.find(({ epoch }) => epoch === seen.newest);
  const nextHolder = async (after: number) => {
    // The last line of one that was killed is no successor.
    while (seen.newest <= after || holder() === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      seen.tell = resolve;
      await promise;
    }
  };
  // There is nothing to take before one has begun.
  await start();
  await nextHolder(0);
  await start();
  const done = { takeOvers: 0, killed: 0, stopped: 0, closed: 0, "server killed": 0 };
  while (done.takeOvers < times) {
    const [before, host] = [seen.newest, holder()!];
    await sleep(random() * 200);
    const way = (["killed", "stopped", "closed", "server killed"] as const)[Math.floor(random() * 4)]!;
    done[way] += 1;
    if (way === "server killed") {
      await server.kill();
      await sleep(random() * 500);
      await server.start();
      continue;
    }
    if (way === "killed") {
      host.child.kill("SIGKILL");
      hosts.splice(hosts.indexOf(host), 1);
      await start();
    } else if (way === "stopped") host.child.kill("SIGSTOP");
    else host.child.stdin!.write("close\n");
    await nextHolder(before);
    if (way === "stopped") {
      await sleep(random() * 100);
      host.child.kill("SIGCONT");
    }
    done.takeOvers += 1;
  }
  await Promise.all(
    hosts.map(async ({ child }) => {
      child.stdin!.write("end\n");
      await once(child, "exit");
    }),
  );
  return done;
}

async function count(store: NatsStore, { effects, ended }: HostInput) {
  const calls = new Map<string, CallRecord>();
  for (let after: string | undefined; ;) {
    const page = await store.ledger.calls({
      limit: 1_000,
      order: "oldest",
      ...(after !== undefined && { after }),
    });
    for (const call of page.items) calls.set(call.toolCallId, call);
    if (page.next === undefined) break;
    after = page.next;
  }
  const had = linesOf(effects).map((line) => line.split(" ") as [id: string, epoch: string]);
  const ids = new Set(had.map(([id]) => id));
  let newest = 0;
  let conflicts = 0;
  for (const [, epoch] of had) {
    if (Number(epoch) < newest) conflicts += 1;
    newest = Math.max(newest, Number(epoch));
  }
  const records = [...calls.values()];
  return {
    calls: records.length,
    lost: linesOf(ended).filter((id) => calls.get(id)?.status !== "completed").length,
    "run twice": had.length - ids.size,
    unrecorded: [...ids].filter(
      (id) =>
        !["completed", "failed"].includes(calls.get(id)?.status ?? "") || calls.get(id)?.receipt === "none",
    ).length,
    invented: records.filter(({ status, toolCallId }) => status === "completed" && !ids.has(toolCallId))
      .length,
    unknown: records.filter(({ receipt }) => receipt === "unknown").length,
    conflicts,
  };
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
}

function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
