import { once } from "node:events";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Engine } from "../../src/docker/engine/engine.ts";
import { createDockerBackend } from "../../src/index.ts";
import { specFor } from "../spec-for.ts";
import { eventually } from "../support.ts";
import { folder, run, useDocker } from "./support.ts";

const { daemon, socketPath, backend, has, keys, open, startHost } = await useDocker();

describe("without a daemon", () => {
  test("returns an error with a solution at once without a socket", async () => {
    const probe = await createDockerBackend({ socketPath: "/nowhere/docker.sock" }).probe();
    expect(probe).toMatchObject({
      available: false,
      reason: expect.stringContaining("/nowhere/docker.sock"),
    });
    expect(probe.fix).toContain("DOCKER_HOST");
  });

  test("can be cancelled while a daemon hangs", async () => {
    const path = join(folder(), "hung.sock");
    const server = createServer(() => {}).listen(path);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const opening = createDockerBackend({ socketPath: path }).open(
      specFor(folder()),
      AbortSignal.timeout(50),
    );
    await expect(opening).rejects.toMatchObject({ code: "ABORTED" });
  });

  test("returns an error if the socket belongs to another program", async () => {
    const path = join(folder(), "other.sock");
    const server = createServer((socket) => void socket.end("SSH-2.0-other\r\n")).listen(path);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    expect(await createDockerBackend({ socketPath: path }).probe()).toMatchObject({ available: false });
  });
});

describe.skipIf(daemon === undefined)("Docker", () => {
  test("gives commands no network, no capabilities, a read-only root, and files of the owner", async () => {
    const hostPath = folder();
    const { text } = await run(
      await open({}, hostPath),
      "exec 2>&1; id -u; grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status; touch /x; ls /sys/class/net; echo hi > made; env",
    );
    expect(text).toMatch(/^1000\n/);
    expect(text).toMatch(/CapEff:\s0+\n/);
    expect(text).toMatch(/NoNewPrivs:\s1\n/);
    expect(text).toMatch(/Seccomp:\s2\n/);
    expect(text).toContain("Read-only file system");
    expect(text).not.toContain("eth0");
    expect(text).not.toMatch(/DOCKER_HOST|npm_/);
    expect(readFileSync(join(hostPath, "made"), "utf8")).toBe("hi\n");
  });

  test("supports a private folder of another user with mode 0700", async () => {
    const hostPath = folder(4321);
    chmodSync(hostPath, 0o700);
    const workspace = await open({}, hostPath);
    await workspace.fs.write("a.txt", Buffer.from("x"));
    expect(readFileSync(join(hostPath, "a.txt"), "utf8")).toBe("x");
  });

  test("supports workspaces with read-only and no access", async () => {
    const hostPath = folder();
    writeFileSync(join(hostPath, "a.txt"), "from the host");
    const mounts = [{ name: "", hostPath, path: "/workspace", access: "ro" as const }];
    const workspace = await open({ workspace: "ro", mounts }, hostPath);
    expect(Buffer.from((await workspace.fs.read("a.txt")).bytes).toString()).toBe("from the host");
    await expect(workspace.fs.write("b.txt", Buffer.from("x"))).rejects.toMatchObject({ code: "READ_ONLY" });
    const none = await open({ workspace: "none", mounts: [] });
    await none.fs.write("c.txt", Buffer.from("x"));
    expect((await none.fs.list(".")).entries).toHaveLength(1);
  });

  test.each([
    ["the socket's folder", () => join(socketPath, "..")],
    ["/", () => "/"],
    ["/etc", () => "/etc/"],
    ["/var/run", () => "/var/run"],
  ])("never mounts %s", async (_what, hostPath) => {
    const mounts = [{ name: "", hostPath: hostPath(), path: "/workspace", access: "ro" as const }];
    await expect(backend.open(specFor("/", { mounts }))).rejects.toMatchObject({
      code: "SANDBOX_UNSUPPORTED",
      fix: expect.stringContaining("no folder above"),
    });
    expect(await keys()).toEqual([]);
  });

  test("reports a container that was removed from outside as lost, and opens another", async () => {
    const workspace = await open();
    const running = workspace.processes.start("sleeping", { script: "sleep 60" });
    await running;
    const waiting = workspace.processes.wait((await running).id);
    expect(await backend.destroy(workspace.ref)).toBe(true);
    expect(await workspace.ended).toMatchObject({ why: expect.any(String) });
    expect(await waiting).toMatchObject({ state: "lost" });
    expect((await workspace.fs.write("after", Buffer.from("x"))).created).toBe(true);
    expect(await backend.destroy({ ...workspace.ref, id: "0".repeat(64) })).toBe(false);
  });

  test("removes the container if the host is killed", async () => {
    const host = startHost(specFor(folder(), { key: "killed" }));
    await host.said;
    expect(await has("killed")).toBe(true);
    await host.kill();
    expect(await eventually(async () => (await keys()).length === 0)).toBe(true);
  });

  describe("a killed host whose runner a command has halted", () => {
    /** Halts the runner and whatever else can be halted; then beats. */
    const halt = `for p in $PPID $(ls /proc | grep '^[0-9]*$'); do [ "$p" = $$ ] || kill -STOP "$p"; done 2>/dev/null
      until grep -q ') T ' /proc/$PPID/stat; do :; done
      while sleep 0.1; do echo beat >>/workspace/beats; done`;

    async function left(key: string) {
      const hostPath = folder();
      const host = startHost(specFor(hostPath, { key }), halt);
      const id = await host.said;
      const beats = (): number => statSync(join(hostPath, "beats"), { throwIfNoEntry: false })?.size ?? 0;
      expect(await eventually(async () => beats() > 0)).toBe(true);
      const engine = new Engine(socketPath);
      const there = (): Promise<boolean> =>
        engine.call("GET", `/containers/${id}/json`).then(
          () => true,
          () => false,
        );
      return { host, there };
    }

    test("leaves a container that a listing removes", async () => {
      const { host, there } = await left("halted");
      expect(await has("halted")).toBe(true);
      await host.kill();
      expect(await there()).toBe(true);
      expect(await has("halted")).toBe(false);
      expect(await there()).toBe(false);
    });

    test("leaves a container that the next host removes", async () => {
      const { host, there } = await left("halted, too");
      await host.kill();
      await open();
      expect(await there()).toBe(false);
    });
  });
});
