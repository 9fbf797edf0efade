import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { Engine } from "../../src/docker/engine/engine.ts";
import { createDockerBackend, openSandbox, type SandboxWorkspace } from "../../src/index.ts";
import { specFor } from "../spec-for.ts";
import { eventually } from "../support.ts";
import { startEngineProxy, folder, useDocker } from "./support.ts";

const { daemon, socketPath, backend } = await useDocker();
const engine = new Engine(socketPath);
/** Halts the program that serves the sandbox, and writes on and on. */
const HALT = "kill -STOP $PPID; while sleep 0.05; do echo beat >>/workspace/beats; done";
const LONG = { idleMs: 60_000, maxAgeMs: 600_000 };

const containers = async (): Promise<string[]> =>
  (await engine.call<{ Id: string }[]>("GET", "/containers/json?all=1")).map(({ Id }) => Id);

async function open(from = backend, hostPath = folder(), more = {}): Promise<SandboxWorkspace> {
  const sandbox = await openSandbox(from, specFor(hostPath, more), { answerMs: 1_500 });
  onTestFinished(async () => {
    await sandbox.close().catch(() => {});
    for (const id of await containers()) await backend.destroy({ ...sandbox.ref, id });
  });
  return sandbox;
}

/** Halts the runner; on a busy machine its answer can be on its way by then, and the next call finds out. */
async function halt({ processes }: SandboxWorkspace, callerId: string): Promise<never> {
  await processes.start(callerId, { script: HALT });
  for (let next = 0; ; next++) await processes.start(`${callerId}-${next}`, { script: "true" });
}

/** Ways to make one deaf that has not ended. */
const WAYS: readonly (readonly [string, (sandbox: SandboxWorkspace) => Promise<unknown>])[] = [
  ["a command halts the runner", (sandbox) => halt(sandbox, crypto.randomUUID())],
  [
    "another program pauses the container",
    async ({ ref }) => {
      await engine.call("POST", `/containers/${ref.id}/pause`);
      throw new Error("nobody answers");
    },
  ],
  [
    "another program halts its first process and runner",
    async ({ ref }) => {
      const { Processes } = await engine.call<{ Processes: string[][] }>(
        "GET",
        `/containers/${ref.id}/top?ps_args=-eo%20pid`,
      );
      for (const [pid] of Processes) process.kill(Number(pid), "SIGSTOP");
      throw new Error("nobody answers");
    },
  ],
];

describe.skipIf(daemon === undefined)("a container that does not answer", () => {
  test.each(WAYS)("is removed before another is opened, three times: %s", async (_what, silence) => {
    const hostPath = folder();
    const sandbox = await open(backend, hostPath);
    const seen = new Set<string>();
    for (let round = 0; round < 3; round++) {
      seen.add(sandbox.ref.id);
      await expect(silence(sandbox)).rejects.toThrow(/sandbox is gone|nobody answers/);
      // The first call may be the one that finds out.
      await sandbox.fs.stat(".").catch(() => sandbox.fs.stat("."));
      expect(await containers()).toEqual([sandbox.ref.id]);
    }
    expect(seen.size).toBe(3);
    await sandbox.close();
    expect(await containers()).toEqual([]);
  });

  test("delays the close until it is removed", async () => {
    const hostPath = folder();
    const sandbox = await open(backend, hostPath);
    await expect(halt(sandbox, "halting")).rejects.toMatchObject({
      code: "SANDBOX_LOST",
      receipt: "unknown",
    });
    await sandbox.close();
    expect(await containers()).toEqual([]);
    const beats = (): number => statSync(join(hostPath, "beats"), { throwIfNoEntry: false })?.size ?? 0;
    const then = beats();
    await sleep(300);
    expect(beats()).toBe(then);
  });

  test("is removed if the close comes before the loss is noticed", async () => {
    const sandbox = await open();
    const halted = sandbox.processes.start("halting", { script: HALT }).catch(() => {});
    await sandbox.close();
    expect(await containers()).toEqual([]);
    await halted;
  });

  test("is removed by a slow Engine before the close returns", async () => {
    const slow = createDockerBackend({ socketPath: await slowly(socketPath, 2_000) });
    const sandbox = await open(slow);
    await expect(halt(sandbox, "halting")).rejects.toMatchObject({
      code: "SANDBOX_LOST",
    });
    await sandbox.close();
    expect(await containers()).toEqual([]);
  });

  test("continues if it is detached, and is found again", async () => {
    const sandbox = await open(backend, folder(), { key: "detached", lifetime: LONG });
    const { id } = sandbox.ref;
    await expect(halt(sandbox, "halting")).rejects.toMatchObject({
      code: "SANDBOX_LOST",
    });
    expect(await sandbox.fs.stat(".")).toBeDefined();
    expect(sandbox.ref.id).toBe(id);
    await sandbox.close();
    expect(await containers()).toEqual([id]);
  });

  test("is reported by the close if the Engine hangs, and can be removed later", async () => {
    const impatient = createDockerBackend({ socketPath, answerMs: 1_000 });
    const sandbox = await open(impatient);
    const { id } = sandbox.ref;
    // Of the daemon that this file has started, and of no other.
    expect(daemon!.pid).toBeGreaterThan(1);
    process.kill(daemon!.pid, "SIGSTOP");
    try {
      const closing = sandbox.close();
      await expect(closing).rejects.toMatchObject({
        code: "SANDBOX_NOT_REMOVED",
        message: expect.stringContaining(id.slice(0, 12)),
        fix: expect.stringContaining("docker rm -f"),
      });
    } finally {
      process.kill(daemon!.pid, "SIGCONT");
    }
    expect(await eventually(async () => (await containers()).length === 0)).toBe(true);
  });
});

/** A socket that hands everything on, removals after a while. */
function slowly(path: string, ms: number): Promise<string> {
  return startEngineProxy(path, (bytes, engine) => {
    if (!bytes.toString("latin1").startsWith("DELETE")) return void engine.write(bytes);
    setTimeout(() => engine.write(bytes), ms);
  });
}
