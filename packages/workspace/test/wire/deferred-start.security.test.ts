import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Duplex, duplexPair } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { ProcessTable } from "../../src/run/process-table.ts";
import { serveRunner } from "../../src/run/server.ts";
import { PROCESS_CHECKS } from "../../src/wire/answer-checks.ts";
import { RunnerChannel } from "../../src/wire/channel.ts";
import { readFrames, writeFrame } from "../../src/wire/frames.ts";
import { createRunnerClient } from "../../src/wire/process-client.ts";
import { site } from "../support.ts";
import { HELLO } from "./support.ts";

const ANSWER_MS = 1_000;
const env = { PATH: process.env["PATH"] ?? "" };

function clientOf(stream: Duplex) {
  const distrust = { answerMs: ANSWER_MS, silentMs: 60_000 };
  const channel = new RunnerChannel({ input: stream, output: stream, onLost: () => {}, distrust });
  onTestFinished(() => channel.abandon("the test is over"));
  return createRunnerClient(channel, PROCESS_CHECKS);
}

/** A runner in this program, and a command that leaves a file. */
function runner(spareShell = false) {
  const { base } = site();
  const [local, remote] = duplexPair();
  const table = new ProcessTable({ runId: "run", folder: base, maxRunning: 2, spareShell, listPids: false });
  onTestFinished(() => table.close(0));
  serveRunner({ hello: HELLO, services: { table }, input: remote, output: remote, onEnd: () => {} });
  const client = clientOf(local);
  const file = join(base, "left");
  const spec = { script: `echo >> ${file}`, cwd: base, env };
  /** When all that was sent before was looked at. */
  const settled = async () => void (await client.list());
  return { client, spec, file, settled };
}

describe("a held command", () => {
  test.each([false, true])(
    "begins with its timeout after the permission; with a waiting shell: %s",
    async (spare) => {
      const { client, spec, file } = runner(spare);
      if (spare) await client.start("before", { ...spec, script: "true" }, { waitMs: 60_000 });
      // For the shell to be there. Without it the same is to be seen.
      await sleep(spare ? 100 : 0);
      const ready = Promise.withResolvers<void>();
      const starting = client.start("held", spec, { waitMs: 60_000, ready: ready.promise });
      await sleep(ANSWER_MS * 1.2);
      expect(existsSync(file)).toBe(false);
      expect((await client.list()).filter(({ callerId }) => callerId === "held")).toEqual([]);
      ready.resolve();
      expect(await starting).toMatchObject({ callerId: "held", state: "exited", exitCode: 0 });
      expect(existsSync(file)).toBe(true);
    },
  );

  test("never begins without permission, and the caller gets the reason", async () => {
    const { client, spec, file, settled } = runner();
    const ready = Promise.withResolvers<void>();
    const starting = client.start("held", spec, { ready: ready.promise });
    await settled();
    ready.reject(new Error("a wall came off"));
    await expect(starting).rejects.toThrow("a wall came off");
    await settled();
    expect(await client.list()).toEqual([]);
    expect(existsSync(file)).toBe(false);
    // The same caller may try again.
    expect(await client.start("held", spec, { waitMs: 60_000 })).toMatchObject({ exitCode: 0 });
  });

  test("never begins after a cancellation, even with a later permission", async () => {
    const { client, spec, file, settled } = runner();
    const ready = Promise.withResolvers<void>();
    const cancelling = new AbortController();
    const starting = client.start("held", spec, { ready: ready.promise, signal: cancelling.signal });
    starting.catch(() => {});
    await settled();
    cancelling.abort();
    await settled();
    ready.resolve();
    await expect(starting).rejects.toThrow("it was cancelled before it began");
    await settled();
    expect(await client.list()).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  test("does not count as begun if the runner reports this before the permission", async () => {
    const [local, remote] = duplexPair();
    const output = { stdout: 0, stderr: 0, total: 0, dropped: 0, spooled: 0 };
    const process = { id: "x", callerId: "held", pid: 9, command: "", cwd: "/", startedAt: 1, output };
    const heads: string[] = [];
    readFrames(
      remote,
      ({ head }) => {
        heads.push(...Object.keys(head));
        if (head["op"] !== "start") return;
        writeFrame(remote, {
          n: head["n"],
          value: { ...process, state: "exited", pty: false, stdin: "closed" },
        });
      },
      () => {},
    );
    writeFrame(remote, HELLO);
    const ready = Promise.withResolvers<void>();
    const starting = clientOf(local).start("held", { script: "true" }, { ready: ready.promise });
    let isThere = false;
    void starting.then(
      () => (isThere = true),
      () => (isThere = true),
    );
    await sleep(50);
    expect({ isThere, heads }).toEqual({ isThere: false, heads: ["n", "op", "args"] });
    ready.reject(new Error("a wall came off"));
    await expect(starting).rejects.toThrow("a wall came off");
  });
});
