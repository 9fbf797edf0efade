import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { NATS_SERVER } from "../../../store/test/nats/support/nats-server.ts";
import { createIdentity } from "../../src/index.ts";
import { createRequester, createLineFile, NODE, NODE_PROGRAM } from "../support/programs.ts";
import type { InvokeRequest } from "./host-program.ts";
import { makeMachines, NO_NETWORKS } from "./namespaces.ts";

const HOST_PROGRAM = join(import.meta.dirname, "host-program.ts");

/** Three nodes, a host and a server, each on a machine of its own. */
async function aNetwork() {
  const machines = makeMachines(["host", "n0", "n1", "n2"]);
  onTestFinished(() => machines.remove());
  const servers = `nats://${machines.address}:4222`;
  const server = machines.start("server", NATS_SERVER!, "-a", machines.address, "-p", "4222");
  await untilPrinted(server, "stderr", /Server is ready/);
  const host = createIdentity();
  const nodes = await Promise.all(
    ["n0", "n1", "n2"].map(async (name) => {
      const { id, seed } = createIdentity();
      const { file, lines: ran } = createLineFile();
      const process = machines.start(name, ...NODE, NODE_PROGRAM, servers, seed, host.id, file);
      await untilPrinted(process, "stdout", /ready/);
      return { id, ran };
    }),
  );
  const ids = nodes.map(({ id }) => id);
  const request = await createRequester(
    machines.start("host", ...NODE, HOST_PROGRAM, servers, host.seed, ...ids),
  );
  const ask = (node: string, command: string, params: object, timeoutMs?: number) =>
    request({ node, command, params, ...(timeoutMs !== undefined && { timeoutMs }) } satisfies Omit<
      InvokeRequest,
      "at"
    >);
  return { machines, nodes, ask };
}

async function untilPrinted(child: ChildProcess, where: "stdout" | "stderr", what: RegExp): Promise<void> {
  let text = "";
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  for (const each of ["stdout", "stderr"] as const)
    child[each]!.setEncoding("utf8").on("data", (more: string) => {
      text += more;
      if (each === where && what.test(text)) resolve();
    });
  child.on("exit", () => reject(new Error(`It ended: ${text}`)));
  await promise;
}

describe.skipIf(NATS_SERVER === undefined || NO_NETWORKS !== undefined)("three nodes on a network", () => {
  test("a node that is cut off during a call and returns reports its true outcome once, without effect on others", async () => {
    const { machines, nodes, ask } = await aNetwork();
    const [n0, n1, n2] = nodes as [(typeof nodes)[0], (typeof nodes)[0], (typeof nodes)[0]];
    // For a moment: the answer waits for the line to be mended.
    const short = ask("n1", "work.take", { what: "short", ms: 500 });
    await vi.waitFor(() => expect(n1.ran()).toEqual(["short"]), 60_000);
    machines.cut("n1");
    await sleep(1_000);
    machines.mend("n1");
    expect(await short).toBe("ok");
    // For longer than anybody waits: nobody can know how it ended.
    const long = ask("n1", "work.take", { what: "long", ms: 5_000 });
    await vi.waitFor(() => expect(n1.ran()).toEqual(["short", "long"]), 60_000);
    machines.cut("n1");
    const state = { isOver: false };
    void long.finally(() => (state.isOver = true));
    let others = 0;
    for (; !state.isOver; others++) {
      const what = `beside ${others}`;
      expect(await ask("n0", "work.note", { what })).toBe("ok");
      expect(await ask("n2", "work.note", { what })).toBe("ok");
      await sleep(50);
    }
    expect(await long).toBe("NODE_OUTCOME_UNKNOWN unknown");
    // It is known to be away by now, so nothing is sent to it.
    expect(await ask("n1", "work.note", { what: "never" }, 1_000)).toBe("NODE_UNREACHABLE none");
    machines.mend("n1");
    await vi.waitFor(async () => expect(await ask("n1", "work.note", { what: "after" }, 2_000)).toBe("ok"), {
      timeout: 120_000,
      interval: 200,
    });
    expect(n1.ran().filter((what) => what !== "after")).toEqual(["short", "long"]);
    const beside = Array.from({ length: others }, (_, at) => `beside ${at}`);
    for (const other of [n0, n2]) expect(other.ran()).toEqual(beside);
    expect(others).toBeGreaterThan(0);
  });

  test("a host that is cut off during calls gets all answers after it returns", async () => {
    const { machines, nodes, ask } = await aNetwork();
    const calls = nodes.map((_, at) => ask(`n${at}`, "work.take", { what: `call ${at}`, ms: 300 }));
    await vi.waitFor(() => expect(nodes.map(({ ran }) => ran().length)).toEqual([1, 1, 1]), 60_000);
    machines.cut("host");
    await sleep(1_500);
    machines.mend("host");
    expect(await Promise.all(calls)).toEqual(["ok", "ok", "ok"]);
    expect(nodes.map(({ ran }) => ran())).toEqual([["call 0"], ["call 1"], ["call 2"]]);
  });

  test("removes the networks and processes of a killed test run", async () => {
    const { pid: dead } = spawnSync("true");
    const left = `haft${dead}-left`;
    execFileSync("ip", ["netns", "add", left]);
    const child = spawn("ip", ["netns", "exec", left, "sleep", "1000"], { stdio: "ignore" });
    const ended = once(child, "exit");
    await vi.waitFor(
      () => expect(execFileSync("ip", ["netns", "pids", left]).length).toBeGreaterThan(0),
      60_000,
    );
    await makeMachines([]).remove();
    await ended;
    expect(execFileSync("ip", ["netns", "list"], { encoding: "utf8" })).not.toContain(left);
  });
});
