import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createDockerBackend, openSandbox } from "../../src/index.ts";
import { specFor } from "../spec-for.ts";
import { eventually } from "../support.ts";
import { startEngineProxy, folder, useDocker } from "./support.ts";

const { daemon, socketPath, backend } = await useDocker();

describe.skipIf(daemon === undefined)("a failing Engine", () => {
  test("leaves no open file after twelve parallel sandboxes", async () => {
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
    await round(6);
    await round(6);
    await quiet.close?.();
    expect(await backend.list()).toEqual([]);
    expect(await eventually(async () => files() <= before)).toBe(true);
  });

  test("ends openings and closings with an error if the Engine hangs", async () => {
    // Of the daemon that this file has started, and of no other.
    const pid = daemon!.pid;
    expect(pid).toBeGreaterThan(1);
    const impatient = createDockerBackend({ socketPath, answerMs: 300 });
    const before = await impatient.open(specFor(folder()));
    process.kill(pid, "SIGSTOP");
    try {
      await expect(impatient.open(specFor(folder()))).rejects.toMatchObject({
        code: "SANDBOX_UNAVAILABLE",
        message: expect.stringContaining("did not answer within 300 ms"),
      });
      await expect(before.close()).rejects.toMatchObject({ code: "SANDBOX_NOT_REMOVED" });
      expect(await before.ended).toMatchObject({ why: "it was closed" });
    } finally {
      process.kill(pid, "SIGCONT");
    }
    expect(await eventually(async () => (await backend.list()).length === 0)).toBe(true);
  });

  test("repeats a removal that the Engine does not finish", async () => {
    let requests = 0;
    let blocker = "";
    const path = await startEngineProxy(socketPath, (bytes, engine) => {
      if (bytes.includes("DELETE /") && blocker !== "" && ++requests === 3)
        execFileSync("chattr", ["-i", blocker]);
      engine.write(bytes);
    });
    const connection = await createDockerBackend({ socketPath: path }).open(specFor(folder()));
    const id = readdirSync(join(dirname(socketPath), "data/containers")).find((one) =>
      one.startsWith(connection.ref.id),
    )!;
    blocker = join(dirname(socketPath), "data/containers", id, "in-the-way");
    writeFileSync(blocker, "");
    execFileSync("chattr", ["+i", blocker]);
    onTestFinished(() => void spawnSync("chattr", ["-i", blocker], { stdio: "ignore" }));
    await connection.close();
    expect(requests).toBeGreaterThan(2);
    expect(await backend.list()).toEqual([]);
  });

  test("reports the sandbox as lost and opens no other if the Engine is stopped", async () => {
    const workspace = await openSandbox(backend, specFor(folder()));
    await daemon!.stop();
    expect(await workspace.ended).toMatchObject({ why: expect.any(String) });
    await expect(workspace.fs.list(".")).rejects.toMatchObject({
      code: expect.stringMatching(/^SANDBOX_(UNAVAILABLE|NOT_REMOVED)$/),
      message: expect.stringContaining("no Engine listens"),
    });
    // Only its first process could have said that nothing of it runs any more.
    await workspace
      .close()
      .catch((thrown: unknown) => expect(thrown).toMatchObject({ code: "SANDBOX_NOT_REMOVED" }));
  });
});
