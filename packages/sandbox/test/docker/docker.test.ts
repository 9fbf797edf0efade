import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { fileContract } from "../../../workspace/test/contract/files.ts";
import { processContract } from "../../../workspace/test/contract/processes.ts";
import type { ContractSite } from "../../../workspace/test/contract/support.ts";
import type { SandboxSpec } from "../../src/backend.ts";
import { Engine } from "../../src/docker/engine.ts";
import { createDockerBackend, openSandbox } from "../../src/index.ts";
import { specFor } from "../bubblewrap/spec-for.ts";
import { attempts } from "../escapes/attempts.ts";
import { ATTEMPT_LIMITS, openEscapeFixture, READ_ONLY_INSIDE } from "../escapes/fixture.ts";
import { runAttempt, runInWorkspace } from "../escapes/run-attempts.ts";
import { startDockerd } from "../../../../test/support/dockerd.ts";

const daemon = await startDockerd();
afterAll(() => daemon?.stop());
const socketPath = daemon?.socketPath ?? "/nowhere/docker.sock";
const backend = createDockerBackend({ socketPath });
const engine = new Engine(socketPath);

function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "haft-docker-")));
  if (process.getuid?.() === 0) chownSync(made, 1000, 1000);
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function open(more: Partial<SandboxSpec> = {}, hostPath = folder()) {
  const workspace = await openSandbox(backend, specFor(hostPath, more));
  onTestFinished(() => workspace.close());
  const run = async (script: string) => {
    const { id } = await workspace.processes.start(crypto.randomUUID(), { script });
    const info = await workspace.processes.wait(id);
    const { chunks } = await workspace.processes.read(id, 0);
    return { code: info.exitCode, text: chunks.map(({ bytes }) => Buffer.from(bytes).toString()).join("") };
  };
  return { workspace, run, hostPath };
}

const names = async () => (await backend.list()).map(({ key }) => key);

/** A thing that ends soon after, not at once. */
async function eventually(check: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if (await check()) return true;
    await sleep(50);
  }
  return false;
}

describe("without a daemon", () => {
  test("no socket: said at once, with what to do", async () => {
    const probe = await createDockerBackend({ socketPath: "/nowhere/docker.sock" }).probe();
    expect(probe).toMatchObject({
      available: false,
      reason: expect.stringContaining("/nowhere/docker.sock"),
    });
    expect(probe.fix).toContain("DOCKER_HOST");
  });

  test("a daemon that hangs does not hang the host: an abort is heard", async () => {
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

  test("something that is no daemon", async () => {
    const path = join(folder(), "other.sock");
    const server = createServer((socket) => void socket.end("SSH-2.0-other\r\n")).listen(path);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    expect(await createDockerBackend({ socketPath: path }).probe()).toMatchObject({ available: false });
  });
});

describe.skipIf(daemon === undefined)("Docker", () => {
  const openSite = async (): Promise<ContractSite> => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-contract-")));
    if (process.getuid?.() === 0) chownSync(root, 1000, 1000);
    const workspace = await openSandbox(
      backend,
      specFor(root, { limits: { memoryMb: 1024, tasks: 512, cpus: 0, fileMb: 1024, tmpMb: 256 } }),
    );
    return {
      workspace,
      close: async () => {
        await workspace.close();
        rmSync(root, { recursive: true, force: true });
      },
    };
  };
  fileContract("in a container", openSite);
  processContract("in a container", openSite);

  describe("escapes from a container", () => {
    test.for(attempts)("$name", async ({ name }) => {
      const fixture = await openEscapeFixture({ uid: 4321, gid: 4321 });
      onTestFinished(() => fixture.close());
      const spec = specFor(fixture.workspace, { limits: ATTEMPT_LIMITS });
      const readOnly = {
        name: "ro",
        hostPath: fixture.readOnly,
        path: READ_ONLY_INSIDE,
        access: "ro",
      } as const;
      const sandbox = await openSandbox(backend, { ...spec, mounts: [...spec.mounts, readOnly] });
      onTestFinished(() => sandbox.close());
      const attempt = attempts.find((one) => one.name === name)!;
      const result = await runAttempt(attempt, runInWorkspace(sandbox), fixture, ATTEMPT_LIMITS);
      expect(result).toMatchObject({ verdict: "kept" });
    });
  });

  test("commands have no network, no capabilities, a read-only root, and the owner's files", async () => {
    const { run, hostPath } = await open();
    const { text } = await run(
      "id -u; grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status; touch /x; ls /sys/class/net; echo hi > made; env",
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

  test("a private folder of another user, mode 0700", async () => {
    const hostPath = folder();
    if (process.getuid?.() === 0) chownSync(hostPath, 4321, 4321);
    chmodSync(hostPath, 0o700);
    const { workspace } = await open({}, hostPath);
    await workspace.fs.write("a.txt", Buffer.from("x"));
    expect(readFileSync(join(hostPath, "a.txt"), "utf8")).toBe("x");
  });

  test("read-only, and none", async () => {
    const hostPath = folder();
    writeFileSync(join(hostPath, "a.txt"), "from the host");
    const mounts = [{ name: "", hostPath, path: "/workspace", access: "ro" as const }];
    const { workspace } = await open({ workspace: "ro", mounts }, hostPath);
    expect(Buffer.from((await workspace.fs.read("a.txt")).bytes).toString()).toBe("from the host");
    await expect(workspace.fs.write("b.txt", Buffer.from("x"))).rejects.toMatchObject({ code: "READ_ONLY" });
    const { workspace: none } = await open({ workspace: "none", mounts: [] });
    await none.fs.write("c.txt", Buffer.from("x"));
    expect((await none.fs.list(".")).entries).toHaveLength(1);
  });

  test("too much memory: its end says so, and the next call opens another", async () => {
    const limits = { memoryMb: 128, tasks: 64, cpus: 0, fileMb: 64, tmpMb: 32 };
    const { workspace, run } = await open({ limits });
    const hog =
      "node -e 'const a=[];for(let i=0;i<400;i++)a.push(Buffer.alloc(1e6,1));console.log(a.length)'";
    const result = await run(hog).catch((thrown: unknown) => thrown);
    expect(result).not.toMatchObject({ code: 0 });
    expect((await workspace.fs.write("after", Buffer.from("x"))).created).toBe(true);
  });

  test.each([
    ["the socket's folder", () => join(socketPath, "..")],
    ["/", () => "/"],
    ["/etc", () => "/etc/"],
    ["/var/run", () => "/var/run"],
  ])("%s is never mounted", async (_what, hostPath) => {
    const mounts = [{ name: "", hostPath: hostPath(), path: "/workspace", access: "ro" as const }];
    await expect(backend.open(specFor("/", { mounts }))).rejects.toMatchObject({
      code: "SANDBOX_UNSUPPORTED",
      fix: expect.stringContaining("nothing above it"),
    });
    expect(await names()).toEqual([]);
  });

  test("an image that is not there", async () => {
    const opening = backend.open(specFor(folder(), { image: "haft/not-there" }));
    await expect(opening).rejects.toMatchObject({ code: "SANDBOX_IMAGE_MISSING" });
    expect(await names()).toEqual([]);
  });

  test("an image in which nothing can run, without a shell and without Node", async () => {
    const empty = Buffer.alloc(1024);
    await engine.call("POST", "/images/create?fromSrc=-&repo=haft/empty&tag=latest", { archive: empty });
    const opening = backend.open(specFor(folder(), { image: "haft/empty" }));
    await expect(opening).rejects.toMatchObject({ code: "SANDBOX_NO_RUNNER" });
    expect(await eventually(async () => (await names()).length === 0)).toBe(true);
  });

  test.each([0, 5, 20, 60, 150])("aborted after %d ms, nothing is left", async (ms) => {
    const opening = backend.open(specFor(folder()), AbortSignal.timeout(ms));
    const code = await opening.then(
      (connection) => connection.close().then(() => "opened"),
      (thrown: unknown) => (thrown as { code: string }).code,
    );
    expect(["ABORTED", "opened"]).toContain(code);
    expect(await eventually(async () => (await names()).length === 0)).toBe(true);
  });

  test("the container is removed from outside: lost, then opened again", async () => {
    const { workspace } = await open();
    const running = workspace.processes.start("sleeping", { script: "sleep 60" });
    await running;
    const waiting = workspace.processes.wait((await running).id);
    expect(await backend.destroy(workspace.ref)).toBe(true);
    expect(await workspace.ended).toMatchObject({ why: expect.any(String) });
    expect(await waiting).toMatchObject({ state: "lost" });
    expect((await workspace.fs.write("after", Buffer.from("x"))).created).toBe(true);
    expect(await backend.destroy({ ...workspace.ref, id: "0".repeat(64) })).toBe(false);
  });

  test("ten opened and closed: no container is left", async () => {
    for (let round = 0; round < 5; round++) {
      const both = await Promise.all([1, 2].map(() => openSandbox(backend, specFor(folder()))));
      await Promise.all(both.map((workspace) => workspace.close()));
    }
    expect(await names()).toEqual([]);
  });

  test("a host that is killed takes its container with it", async () => {
    const program = fileURLToPath(new URL("open-and-wait.ts", import.meta.url));
    const host = spawn(process.execPath, ["--conditions=@haft/source", program, socketPath, folder()], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(host.stdout, "data");
    expect(await names()).toEqual(["killed"]);
    host.kill("SIGKILL");
    expect(await eventually(async () => (await names()).length === 0)).toBe(true);
  });
});
