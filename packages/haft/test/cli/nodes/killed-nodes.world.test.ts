import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { haftCommand } from "../../../../../test/support/build-under-test.ts";
import { until } from "../../../../../test/support/until.ts";
import { NATS_SERVER, startNats, type TestServer } from "../../../../store/test/nats/support/nats-server.ts";
import { canMount } from "../../durability/faults/small-disk.ts";
import { machines, createProgram } from "./machines.ts";

let server: TestServer;
beforeAll(async () => {
  if (NATS_SERVER !== undefined) server = await startNats("", null);
});
afterAll(() => server?.stop());

/** A node whose host may run commands there. */
async function working() {
  const all = await machines(server.url, { offer: "[exec]", node: "kind: main" });
  all.know();
  const node = await all.serve();
  expect((await all.desk.run("nodes", "approve", "kitchen")).code).toBe(0);
  /** Has a command begun on the node that ends when it is stopped, by a program of the host. */
  const begin = async (timeoutMs = 600_000) => {
    // No other process has these words.
    const seconds = `${1e6 + Math.floor(Math.random() * 1e6)}`;
    const runs = () => runningWith(seconds);
    const params = { command: `touch begun; exec sleep ${seconds}`, yieldMs: 120_000 };
    const args = JSON.stringify({ command: "tool.exec", params, timeoutMs });
    const calling = all.desk.program("tools", "call", "node_invoke", args, "--json");
    await until("the command has begun on the node", () => existsSync(join(all.kitchen.cwd, "begun")));
    return { calling, isOver: () => !runs() };
  };
  return { ...all, node, begin };
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function runningWith(seconds: string): boolean {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return all.some((pid) => readFile(`/proc/${pid}/cmdline`) === `sleep\0${seconds}\0`);
}

describe.skipIf(NATS_SERVER === undefined)("over a NATS server", () => {
  test("reports an unknown outcome soon after a node is killed", async () => {
    const { begin, node, call } = await working();
    const { calling } = await begin();
    node.child.kill("SIGKILL");
    expect(await calling.line()).toMatchObject({
      kind: "error",
      code: "NODE_OUTCOME_UNKNOWN",
      receipt: "unknown",
    });
    expect(await call("tool.exec", { command: "true" })).toMatchObject({
      code: "NODE_UNREACHABLE",
      receipt: "none",
    });
  });

  test("stops running calls at the end of a node, and informs the host", async () => {
    const { begin, node } = await working();
    const { calling, isOver } = await begin();
    const ended = node.end("SIGTERM");
    expect(await calling.line()).toMatchObject({ code: "ABORTED", receipt: "unknown" });
    expect((await ended).code).toBe(143);
    await until("nothing of it is left", isOver);
  });

  test("stops a call of a killed host at its time limit, and records that on the node", async () => {
    const { begin, kitchen, hostId, call } = await working();
    // The start of the command counts too, which takes seconds on a busy machine.
    const { calling, isOver } = await begin(30_000);
    calling.child.kill("SIGKILL");
    await until("nothing of it is left", isOver);
    const entry = async () => {
      const books = await kitchen.run("ledger", "list", "--session", `node:${hostId}`, "--json");
      return books.lines()[0]?.calls[0];
    };
    await until("it is over in the ledger", async () => (await entry())?.status === "failed");
    expect(await entry()).toMatchObject({ toolName: "exec", receipt: "unknown" });
    // The next one finds the node as it was.
    expect(await call("tool.exec", { command: "echo on" })).toMatchObject({
      kind: "ok",
      receipt: "committed",
    });
  });

  test("stops running calls of a host that the node forgets", async () => {
    const { begin, kitchen } = await working();
    const { calling, isOver } = await begin();
    expect((await kitchen.run("nodes", "forget", "desk")).code).toBe(0);
    await until("nothing of it is left", isOver);
    const outcome = await calling.line();
    expect(outcome).toMatchObject({ kind: "error", receipt: "unknown" });
  });

  test("stops a cancelled call on the node", async () => {
    const { begin } = await working();
    const { calling, isOver } = await begin();
    calling.child.kill("SIGINT");
    const [line] = await Promise.all([calling.line(), once(calling.child, "exit")]);
    expect(line).toMatchObject({ kind: "cancelled" });
    await until("nothing of it is left", isOver);
  });

  test.skipIf(!canMount)(
    "changes nothing on a node with a full disk, reports it, and still reads",
    async () => {
      const { kitchen, desk, know, call } = await machines(server.url, {
        offer: "[read, write]",
        nodeRules: "{ sessions: { group: { grant: [write] } } }",
      });
      await kitchen.write("w/recipe.txt", "two eggs\n");
      know();
      const state = kitchen.env["HAFT_STATE_DIR"]!;
      // A disk of its own, which the node alone sees.
      const script = `cp -a "$0" "$0-before" && mount -t tmpfs -o size=2m,mode=700 none "$0" && cp -a "$0-before/." "$0" && exec "$@"`;
      const command = ["sh", "-c", script, state, ...haftCommand, "nodes", "start", "--json"];
      const child = spawn("unshare", ["--user", "--map-root-user", "--mount", ...command], {
        cwd: kitchen.cwd,
        env: { ...process.env, ...kitchen.env },
        stdio: "pipe",
      });
      const node = createProgram(child);
      await node.line();
      await desk.run("nodes", "approve", "kitchen");
      expect(await call("tool.read", { path: "recipe.txt" })).toMatchObject({ kind: "ok" });
      const disk = `/proc/${child.pid}/root${state}`;
      expect(() => writeFileSync(join(disk, "full"), Buffer.alloc(4 * 1024 * 1024))).toThrow(/ENOSPC/);
      const refused = await call("tool.write", { path: "made.txt", content: "x" });
      expect(refused).toMatchObject({ kind: "error", receipt: "none" });
      // Whichever comes first: the ledger, or what makes the change undoable.
      expect(`${refused.content[0].text}`).toContain("disk is full");
      expect(existsSync(join(kitchen.cwd, "made.txt"))).toBe(false);
      expect(await call("tool.read", { path: "recipe.txt" })).toMatchObject({ kind: "ok" });
      rmSync(join(disk, "full"));
      await until(
        "it writes again",
        async () => (await call("tool.write", { path: "made.txt", content: "x" })).kind === "ok",
      );
    },
  );
});
