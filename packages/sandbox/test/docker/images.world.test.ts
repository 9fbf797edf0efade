import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { stageInit } from "../../src/docker/container/stage-init.ts";
import { Engine } from "../../src/docker/engine/engine.ts";
import { type TarEntry, createTar } from "../../src/docker/host-usr-image.ts";
import { createDockerBackend } from "../../src/index.ts";
import { specFor } from "../spec-for.ts";
import { eventually, catchFailure } from "../support.ts";
import { startEngineProxy, folder, openWithBackend, run, useDocker } from "./support.ts";

const { daemon, socketPath, backend, has, keys, open } = await useDocker();
const engine = new Engine(socketPath);
const LONG = { idleMs: 60_000, maxAgeMs: 600_000 };

async function importImage(name: string, entries: readonly TarEntry[], more: string[] = []): Promise<void> {
  const changes = ["ENV PATH=/bin", ...more].map((one) => `&changes=${encodeURIComponent(one)}`).join("");
  const path = `/images/create?fromSrc=-&repo=${name}&tag=latest${changes}`;
  await engine.call("POST", path, { archive: createTar(entries) });
}

/** Nothing in it but this one program, which needs no library. */
function busyboxImage(tools: readonly string[]): TarEntry[] {
  const busybox = readFileSync(execFileSync("sh", ["-c", "command -v busybox"]).toString().trim());
  return [
    ...["bin", "dev", "etc", "proc", "sys", "tmp", "sbin", "workspace", "opt"].map((path) => ({ path })),
    { path: "bin/busybox", content: busybox, mode: 0o755 },
    ...tools.map((tool) => ({ path: `bin/${tool}`, link: "busybox" })),
  ];
}

describe.skipIf(daemon === undefined)("an image with only busybox", () => {
  const image = "haft/busybox";
  beforeAll(async () => {
    const tools = execFileSync("busybox", ["--list"]).toString().trim().split("\n");
    await importImage(image, busyboxImage(tools.filter((tool) => tool !== "busybox")));
  });

  test("is served by its shell, which reports missing capabilities", async () => {
    const hostPath = folder();
    const sandbox = await open({ image }, hostPath);
    expect(sandbox.capabilities).toEqual({
      files: true,
      processes: true,
      pty: false,
      identify: false,
    });
    expect(sandbox.describe()).toMatchObject({ cwd: "/workspace", boundary: "best-effort" });
    await sandbox.fs.write("a.txt", Buffer.from("of the shell\n"));
    expect(readFileSync(join(hostPath, "a.txt"), "utf8")).toBe("of the shell\n");
    const { text } = await run(
      sandbox,
      "exec 2>&1; cat a.txt; id -u; grep -E '^(CapEff|Seccomp):' /proc/self/status; ls /usr",
    );
    expect(text).toMatch(/^of the shell\n1000\nCapEff:\s0+\nSeccomp:\s2\nls: \/usr: No such file/);
    const terminal = sandbox.processes.start("pty", { script: "true", pty: { cols: 80, rows: 24 } });
    await expect(terminal).rejects.toMatchObject({ code: "CAPABILITY_MISSING" });
  });

  test.each(["tethered" as const, LONG])(
    "runs a setup script once, with the runner that works",
    async (lifetime) => {
      const sandbox = await open({ image, lifetime, setup: "echo run >> /tmp/runs" });
      expect((await run(sandbox, "cat /tmp/runs")).text).toBe("run\n");
    },
  );

  test("keeps declared volumes in memory with the size of /tmp, and not on the disk", async () => {
    const all = execFileSync("busybox", ["--list"]).toString().trim().split("\n");
    const entries = busyboxImage(all.filter((tool) => tool !== "busybox"));
    await importImage("haft/volumes", entries, ["VOLUME /data", "VOLUME /workspace"]);
    const limits = { memoryMb: 256, tasks: 64, cpus: 0, fileMb: 64, tmpMb: 16 };
    const sandbox = await open({ image: "haft/volumes", limits });
    const { Volumes } = await engine.call<{ Volumes: unknown[] | null }>("GET", "/volumes");
    expect(Volumes ?? []).toEqual([]);
    const script = `echo x >/data/file && cat /data/file; head -c 32m /dev/zero >/data/large 2>/dev/null || echo full
      awk '$5 == "/data" { print $9 == "-" ? $10 : $9 }' /proc/self/mountinfo; ls -d /workspace`;
    const { text } = await run(sandbox, script);
    expect(text).toMatch(/^x\nfull\n/);
    expect(text).toContain("tmpfs");
  });

  test("gets a new detached container if the tag of the image was moved", async () => {
    const spec = specFor(folder(), { key: "moved", lifetime: LONG, image: "haft/moved" });
    const reopened = async (): Promise<string> => {
      const sandbox = await openWithBackend(backend, spec);
      const { id } = sandbox.ref;
      await sandbox.close();
      return id;
    };
    const all = execFileSync("busybox", ["--list"]).toString().trim().split("\n");
    const image = busyboxImage(all.filter((tool) => tool !== "busybox"));
    await importImage("haft/moved", image);
    const first = await reopened();
    expect(await reopened()).toBe(first);
    await importImage("haft/moved", [...image, { path: "moved" }]);
    expect(await reopened()).not.toBe(first);
  });

  test("lets another host find a detached container, which ends when idle", async () => {
    const hostPath = folder();
    // A busy machine may take seconds until the first runner is in it: until then it is idle too.
    const more = { image, key: "busybox", lifetime: { idleMs: 15_000, maxAgeMs: 600_000 } };
    const first = await open(more, hostPath);
    await run(first, "echo kept > /tmp/mark");
    const second = await openWithBackend(createDockerBackend({ socketPath }), specFor(hostPath, more));
    expect(second.ref).toEqual(first.ref);
    expect((await run(second, "cat /tmp/mark")).text).toBe("kept\n");
    await first.close();
    await second.close();
    expect(await eventually(async () => !(await has("busybox")))).toBe(true);
  });
});

describe.skipIf(daemon === undefined)("other images", () => {
  test.each(["tethered" as const, LONG])(
    "returns an error with a solution if no runner works",
    async (lifetime) => {
      await importImage("haft/empty", []);
      const error = await catchFailure(backend.open(specFor(folder(), { image: "haft/empty", lifetime })));
      expect(error.message).toMatch(/its own Node: .*; the Node of this machine: .*; its shell: /);
      expect(error).toMatchObject({
        code: "SANDBOX_NO_RUNNER",
        fix: expect.stringContaining("Node 20 or later"),
      });
      expect(await eventually(async () => (await keys()).length === 0)).toBe(true);
    },
  );

  test("returns the same error if the container ends before the runner starts", async () => {
    await importImage("haft/empty", []);
    const slow = await startEngineProxy(socketPath, async (bytes, to) => {
      if (bytes.includes("/exec HTTP")) await eventually(async () => (await keys()).length === 0);
      to.write(bytes);
    });
    const by = createDockerBackend({ socketPath: slow });
    const error = await catchFailure(by.open(specFor(folder(), { image: "haft/empty", lifetime: LONG })));
    expect(error).toMatchObject({ code: "SANDBOX_NO_RUNNER" });
    expect(error.message).toMatch(/its own Node: its container ended immediately/);
  });

  test.each(["tethered" as const, LONG])(
    "does not blame memory if Node ends with the exit code of a kill",
    async (lifetime) => {
      await importImage("haft/killed", [
        ...busyboxImage(["sh"]),
        {
          path: "bin/node",
          content: "#!/bin/sh\ncase $* in *setInterval*) sleep 1000 ;; esac\nexit 137\n",
          mode: 0o755,
        },
      ]);
      const only = createDockerBackend({ socketPath, runners: ["image-node"] });
      await expect(only.open(specFor(folder(), { image: "haft/killed", lifetime }))).rejects.toMatchObject({
        code: "SANDBOX_NO_RUNNER",
        message: expect.stringMatching(/its own Node: .*137/),
      });
    },
  );

  test("skips a Node that is too old", async () => {
    const pretend = `#!/bin/sh\ncase "$*" in *versions.node*) echo "it is Node 18.0.0" >&2; exit 1;; esac\n`;
    const tools = execFileSync("busybox", ["--list"]).toString().trim().split("\n");
    await importImage("haft/old-node", [
      ...busyboxImage(tools.filter((tool) => tool !== "busybox")),
      { path: "bin/node", content: pretend, mode: 0o755 },
    ]);
    const only = createDockerBackend({ socketPath, runners: ["image-node"] });
    await expect(only.open(specFor(folder(), { image: "haft/old-node" }))).rejects.toMatchObject({
      code: "SANDBOX_NO_RUNNER",
      message: expect.stringContaining("its own Node: it is Node 18.0.0"),
    });
    expect((await open({ image: "haft/old-node" })).capabilities.pty).toBe(false);
  });

  test("returns an error for a missing image", async () => {
    const opening = backend.open(specFor(folder(), { image: "haft/not-there" }));
    await expect(opening).rejects.toMatchObject({ code: "SANDBOX_START_FAILED" });
    expect(await keys()).toEqual([]);
  });

  /** Who cannot look there cannot tell what it is. */
  const inspection = "readlink /proc/1/fd/0 /proc/1/exe | wc -l; tr '\\0' ' ' </proc/1/cmdline";

  test("uses an init that commands cannot inspect, with every runner", async () => {
    for (const runner of ["image-node", "host-node", "image-shell"] as const) {
      const by = createDockerBackend({ socketPath, runners: [runner] });
      const { text } = await run(await openWithBackend(by, specFor(folder())), inspection);
      expect(text).toMatch(/^0\n\/opt\/haft\/init /);
    }
    expect(await backend.probe()).toMatchObject({ details: { runner: "closed to commands" } });
  });

  test("uses Docker's init without another init, which the probe reports", async () => {
    const nowhere = join(folder(), "file");
    writeFileSync(nowhere, "");
    const broken = join(folder(0), "cache");
    await stageInit(broken);
    for (const name of readdirSync(broken)) {
      const path = join(broken, name);
      const { size } = statSync(path);
      rmSync(path);
      writeFileSync(path, Buffer.alloc(size, "no program\n"), { mode: 0o111 });
    }
    for (const cacheFolder of [nowhere, broken]) {
      const by = createDockerBackend({ socketPath, cacheFolder });
      const { text } = await run(await openWithBackend(by, specFor(folder())), inspection);
      expect(text).toMatch(/^2\n\S*docker-init /);
      expect(await by.probe()).toMatchObject({
        details: { runner: expect.stringMatching(/^open to commands/) },
      });
    }
  });

  test("runs programs of this machine with either Node", async () => {
    for (const runner of ["image-node", "host-node"] as const) {
      const by = createDockerBackend({ socketPath, runners: [runner] });
      const sandbox = await openWithBackend(by, specFor(folder()));
      expect(sandbox.capabilities).toMatchObject({ files: true, processes: true, identify: true });
      expect((await run(sandbox, "git --version")).text).toMatch(/^git version/);
    }
  });
});
