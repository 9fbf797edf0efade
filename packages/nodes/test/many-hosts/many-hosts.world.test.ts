import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { NATS_SERVER, startNats } from "../../../store/test/nats/support/nats-server.ts";
import { createIdentity, type Identity } from "../../src/index.ts";
import type { Told } from "./host-program.ts";

type Wish = Told extends infer Each ? (Each extends Told ? Omit<Each, "at"> : never) : never;

function start(program: string, ...words: string[]): ChildProcess {
  const path = join(import.meta.dirname, program);
  const child = spawn(process.execPath, ["--conditions=@haft/source", "--no-warnings", path, ...words], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  return child;
}

/** A host in a process of its own. */
async function host(url: string, { seed }: Identity) {
  const child = start("host-program.ts", url, seed);
  const waiting = new Map<number, (answer: string) => void>();
  const answerOf = (at: number) => new Promise<string>((resolve) => waiting.set(at, resolve));
  createInterface({ input: child.stdout! }).on("line", (line) => {
    const { at, answer } = JSON.parse(line) as { at: number; answer: string };
    waiting.get(at)?.(answer);
  });
  await answerOf(-1);
  let told = 0;
  const tell = (wish: Wish): Promise<string> => {
    const at = told++;
    const answer = answerOf(at);
    child.stdin!.write(`${JSON.stringify({ at, ...wish })}\n`);
    return answer;
  };
  return { child, tell };
}

describe.skipIf(NATS_SERVER === undefined)("two hosts with keys of their own", () => {
  test("share what was decided about nodes, and each session, one after the other", async () => {
    const server = await startNats();
    onTestFinished(() => server.stop());
    const folder = mkdtempSync(join(tmpdir(), "haft-many-hosts-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "ran");
    writeFileSync(file, "");
    const ran = () => readFileSync(file, "utf8").split("\n").filter(Boolean);
    const [node, one, two] = [createIdentity(), createIdentity(), createIdentity()];
    // The node knows both: whoever sets it up puts their ids there.
    const worker = start("../nats/node-program.ts", server.url, node.seed, `${one.id},${two.id}`, file);
    await once(worker.stdout!, "data");
    const [first, second] = await Promise.all([host(server.url, one), host(server.url, two)]);
    const call = (id: string) => ({ do: "call", session: "s", id, what: id }) as const;

    // One host decides, and both know it.
    expect(await first.tell(call("c0"))).toBe("NODE_NEEDED");
    expect(await first.tell({ do: "pair", node: node.id })).toBe("ok");
    expect(await first.tell({ do: "approve", node: node.id })).toBe("ok");
    expect(await first.tell(call("c1"))).toBe("ok");
    // The session is held.
    expect(await second.tell(call("c2"))).toBe("SESSION_HELD");
    await first.tell({ do: "close", session: "s" });
    await vi.waitFor(async () => expect(await second.tell(call("c2"))).toBe("ok"), 30_000);
    // What the other host has done is not done again.
    expect(await second.tell(call("c1"))).toBe("ok, from the ledger");
    expect(ran()).toEqual(["c1", "c2"]);
    // What one revokes, the other calls no more.
    expect(await first.tell({ do: "revoke", node: node.id })).toBe("ok");
    let calls = 0;
    await vi.waitFor(
      async () => expect(await second.tell(call(`late ${calls++}`))).toBe("NODE_NEEDED"),
      30_000,
    );
    const before = ran().length;
    expect(await second.tell(call("never"))).toBe("NODE_NEEDED");
    expect(ran()).toHaveLength(before);
  });
});
