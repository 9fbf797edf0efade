import { chownSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { SandboxSpec } from "../../src/backend.ts";
import { createDockerBackend, openSandbox } from "../../src/index.ts";
import type { SandboxWorkspace } from "../../src/index.ts";
import { specFor } from "../bubblewrap/spec-for.ts";
import { startDockerd } from "../../../../test/support/dockerd.ts";

const daemon = await startDockerd();
afterAll(() => daemon?.stop());
const socketPath = daemon?.socketPath ?? "/nowhere/docker.sock";
const backend = createDockerBackend({ socketPath });
const LONG = { idleMs: 60_000, maxAgeMs: 600_000 };

function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "haft-docker-")));
  if (process.getuid?.() === 0) chownSync(made, 1000, 1000);
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function open(spec: SandboxSpec, from = backend): Promise<SandboxWorkspace> {
  const workspace = await openSandbox(from, spec);
  onTestFinished(async () => {
    await workspace.close();
    await from.destroy(workspace.ref).catch(() => false);
  });
  return workspace;
}

async function output({ processes }: SandboxWorkspace, script: string): Promise<string> {
  const { id } = await processes.start(crypto.randomUUID(), { script });
  await processes.wait(id);
  const { chunks } = await processes.read(id, 0);
  return Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
}

async function eventually(check: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if (await check()) return true;
    await sleep(50);
  }
  return false;
}

describe.skipIf(daemon === undefined)("a detached container", () => {
  test("lives on with its files, and is found again, also by another host", async () => {
    const spec = specFor(folder(), { key: "found", lifetime: LONG });
    const first = await open(spec);
    await output(first, "echo kept > /tmp/mark");
    await first.close();
    expect(await backend.list()).toMatchObject([{ id: first.ref.id, detached: true, state: "running" }]);
    const second = await open(spec, createDockerBackend({ socketPath }));
    expect(second.ref).toEqual(first.ref);
    expect(await output(second, "cat /tmp/mark")).toBe("kept\n");
  });

  test("commands end with their connection", async () => {
    const spec = specFor(folder(), { key: "commands", lifetime: LONG });
    const first = await open(spec);
    await first.processes.start("sleeping", { script: "sleep 4321 & setsid sleep 4321" });
    await first.close();
    const second = await open(spec);
    const left = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'sleep 43[2]1'";
    expect(await eventually(async () => (await output(second, left)) === "0\n")).toBe(true);
  });

  test("another specification gets another container", async () => {
    const hostPath = folder();
    const first = await open(specFor(hostPath, { key: "changed", lifetime: LONG }));
    await first.close();
    const lifetime = { ...LONG, maxAgeMs: 500_000 };
    const second = await open(specFor(hostPath, { key: "changed", lifetime }));
    expect(second.ref.id).not.toBe(first.ref.id);
    expect((await backend.list()).map(({ id }) => id)).toEqual([second.ref.id]);
  });

  test("two hosts that open it at once share it", async () => {
    const spec = specFor(folder(), { key: "both", lifetime: LONG });
    const [one, other] = await Promise.all([open(spec), open(spec, createDockerBackend({ socketPath }))]);
    expect(one.ref.id).toBe(other.ref.id);
    expect(await output(one, "echo 1")).toBe("1\n");
    expect(await output(other, "echo 2")).toBe("2\n");
  });

  test.each([
    ["idle", { idleMs: 300, maxAgeMs: 600_000 }],
    ["too old", { idleMs: 60_000, maxAgeMs: 300 }],
  ])("ends by itself when it is %s", async (key, lifetime) => {
    const workspace = await open(specFor(folder(), { key, lifetime }));
    await workspace.close();
    expect(await eventually(async () => (await backend.list()).length === 0)).toBe(true);
  });

  test("is not idle while somebody is connected", async () => {
    const lifetime = { idleMs: 300, maxAgeMs: 600_000 };
    const workspace = await open(specFor(folder(), { key: "busy", lifetime }));
    await sleep(1_200);
    expect(await output(workspace, "echo there")).toBe("there\n");
  });
});

describe.skipIf(daemon === undefined)("a setup script", () => {
  test.each(["tethered" as const, LONG])("runs before anything else", async (lifetime) => {
    const workspace = await open(specFor(folder(), { lifetime, setup: "echo made > /tmp/made" }));
    expect(await output(workspace, "cat /tmp/made")).toBe("made\n");
  });

  test.each(["tethered" as const, LONG])("that fails is said, and nothing is left", async (lifetime) => {
    const opening = backend.open(specFor(folder(), { lifetime, setup: "echo no such thing >&2; exit 3" }));
    await expect(opening).rejects.toMatchObject({
      code: "SANDBOX_SETUP_FAILED",
      message: expect.stringContaining("no such thing"),
    });
    expect(await backend.list()).toEqual([]);
  });
});

describe.skipIf(daemon === undefined)("when the Engine fails", () => {
  test("thirty opened side by side and closed: no file of this program stays open", async () => {
    const hostPath = folder();
    const quiet = createDockerBackend({ socketPath });
    const round = async (count: number): Promise<void> => {
      const all = await Promise.all(
        Array.from({ length: count }, () => quiet.open(specFor(hostPath, { workspace: "none", mounts: [] }))),
      );
      await Promise.all(all.map((one) => one.close()));
    };
    const files = (): number => readdirSync("/proc/self/fd").length;
    await round(1);
    const before = files();
    await round(10);
    await round(10);
    await round(10);
    await quiet.close?.();
    expect(await backend.list()).toEqual([]);
    expect(await eventually(async () => files() <= before)).toBe(true);
  });

  test("it hangs: opening and closing end, and say so", async () => {
    // Of the daemon that this file has started, and of no other.
    const pid = daemon!.pid;
    expect(pid).toBeGreaterThan(1);
    const before = await backend.open(specFor(folder()));
    process.kill(pid, "SIGSTOP");
    try {
      const impatient = createDockerBackend({ socketPath, answerMs: 300 });
      await expect(impatient.open(specFor(folder()))).rejects.toMatchObject({
        code: "SANDBOX_UNAVAILABLE",
        message: expect.stringContaining("has not answered"),
      });
      await before.close();
      expect(await before.ended).toMatchObject({ why: "it was closed" });
    } finally {
      process.kill(pid, "SIGCONT");
    }
    expect(await eventually(async () => (await backend.list()).length === 0)).toBe(true);
  });

  test("it is stopped: the sandbox is lost, and cannot be opened again", async () => {
    const workspace = await open(specFor(folder()));
    await daemon!.stop();
    expect(await workspace.ended).toMatchObject({ why: expect.any(String) });
    await expect(workspace.fs.list(".")).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
  });
});
