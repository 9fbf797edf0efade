import { connectRunner } from "@haft/workspace/internal/wire";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { SandboxSpec } from "../../src/backend.ts";
import { openSandbox } from "../../src/session/open-sandbox.ts";
import { createSshBackend, type SshBackendOptions } from "../../src/ssh/ssh-backend.ts";
import { eventually } from "../support.ts";
import { clients, freePort, noSshd, type Sshd, startSshd } from "./sshd.ts";

export const SPEC: SandboxSpec = {
  key: "session-1",
  scope: "session",
  workspace: "rw",
  mounts: [],
  env: {},
  network: "full",
  limits: { memoryMb: 1024, tasks: 512, cpus: 0, fileMb: 1024, tmpMb: 256 },
  lifetime: "tethered",
};

const ENV = { PATH: process.env["PATH"]!, HOME: "/tmp" };

describe.skipIf(noSshd !== undefined && process.env["HAFT_REQUIRE_SERVICES"] !== "1")("ssh", () => {
  let sshd: Sshd;
  beforeAll(async () => {
    if (noSshd !== undefined) throw new Error(`This must run here, but ${noSshd}.`);
    sshd = await startSshd();
  });
  afterAll(() => sshd?.stop());

  async function open(more: Partial<SshBackendOptions> = {}, spec: Partial<SandboxSpec> = {}) {
    const backend = createSshBackend(sshd.target(more));
    const connection = await backend.open({ ...SPEC, ...spec });
    onTestFinished(() => connection.close());
    const runner = await connectRunner(connection.stream, { mounts: connection.mounts });
    return { backend, connection, runner };
  }

  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => "it worked",
      (thrown: unknown) => {
        const { code, details } = thrown as { code?: string; details?: { cause?: string } };
        return [code, details?.cause].filter(Boolean).join(" ");
      },
    );

  it("serves files and commands of the other machine over one connection", async () => {
    const { connection, runner } = await open();
    expect(connection.mounts).toEqual([{ name: "", path: sshd.root, access: "rw" }]);
    expect(connection.facts).toEqual({ mount: "rw", network: "full" });
    await runner.fs.write("a.txt", Buffer.from("over ssh"));
    expect(readFileSync(join(sshd.root, "a.txt"), "utf8")).toBe("over ssh");
    const started = await runner.processes.start(
      "one",
      { script: 'echo "$SSH_CONNECTION"; pwd; cat a.txt', cwd: sshd.root, env: ENV },
      { waitMs: 5_000 },
    );
    const { chunks } = await runner.processes.read(started.id, 0);
    // Only the variables it was given.
    expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toBe(`\n${sshd.root}\nover ssh`);
  });

  it.each([
    ["Node", process.execPath, "kernel"],
    ["a shell", false, "best-effort"],
  ] as const)("provides a workspace, served there by %s", async (_, remoteNode, boundary) => {
    const mounts = [{ name: "", hostPath: "/somewhere/here", path: "/workspace", access: "rw" as const }];
    const backend = createSshBackend(sshd.target({ remoteNode }));
    const workspace = await openSandbox(backend, { ...SPEC, mounts });
    onTestFinished(() => workspace.close());
    expect(workspace.describe()).toMatchObject({ target: "sandbox", cwd: sshd.root, boundary });
    await workspace.fs.write("served.txt", Buffer.from("by ssh\n"));
    expect(Buffer.from((await workspace.fs.read("/somewhere/here/served.txt")).bytes).toString()).toBe(
      "by ssh\n",
    );
    const { id, exitCode } = await workspace.processes.start(
      "cat",
      { script: "cat served.txt" },
      { waitMs: 60_000 },
    );
    expect(exitCode).toBe(0);
    const { chunks } = await workspace.processes.read(id, 0);
    expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toBe("by ssh\n");
    // The connection is lost: the next call opens another one.
    for (const pid of clients(sshd.port)) process.kill(pid, "SIGKILL");
    await workspace.ended;
    expect((await workspace.fs.stat("served.txt"))?.size).toBe(7);
  });

  it("uses the new private folder after a reopening without a workspace", async () => {
    const mounts = [{ name: "", hostPath: "/somewhere/here", path: "/workspace", access: "rw" as const }];
    const backend = createSshBackend(sshd.target());
    const workspace = await openSandbox(backend, { ...SPEC, workspace: "none", mounts });
    onTestFinished(() => workspace.close());
    const before = workspace.describe().cwd;
    await workspace.fs.write("/somewhere/here/a.txt", Buffer.from("first"));
    expect((await workspace.fs.stat("a.txt"))?.size).toBe(5);
    for (const pid of clients(sshd.port)) process.kill(pid, "SIGKILL");
    await workspace.ended;
    // The old folder went with the connection, and nothing of it is found under the new one.
    const { id } = await workspace.processes.start("pwd", { script: "pwd" }, { waitMs: 60_000 });
    const { chunks } = await workspace.processes.read(id, 0);
    const { cwd } = workspace.describe();
    expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toBe(`${cwd}\n`);
    expect(cwd).not.toBe(before);
    expect(await workspace.fs.stat("/somewhere/here/a.txt")).toBeUndefined();
    await workspace.fs.write("/somewhere/here/b.txt", Buffer.from("second"));
    expect(readFileSync(join(cwd, "b.txt"), "utf8")).toBe("second");
  });

  it.each(["closed", "lost"])(
    "ends the remote runner and its processes when the connection is %s",
    async (how) => {
      const { connection, runner } = await open();
      const marker = `haft-ssh-${process.pid}-${how}-${Date.now()}`;
      await runner.processes.start("long", {
        script: `sleep 600 & setsid sleep 600 & echo started > ${marker}; wait`,
        cwd: sshd.root,
        env: { ...ENV, MARKER: marker },
      });
      expect(await eventually(() => existsSync(join(sshd.root, marker)))).toBe(true);
      expect(withMarker(marker)).toBeGreaterThanOrEqual(3);
      if (how === "closed") await connection.close();
      else {
        // The client is killed, like with its host.
        for (const pid of clients(sshd.port)) process.kill(pid, "SIGKILL");
        expect((await connection.ended).why).toContain("the connection ended");
      }
      expect(await eventually(() => withMarker(marker) === 0)).toBe(true);
    },
  );

  it("provides a private folder that ends with the connection", async () => {
    const { connection, runner } = await open({}, { workspace: "none" });
    const [mount] = connection.mounts;
    expect(mount!.path).toContain("haft-");
    await runner.fs.write("x", Buffer.from("x"));
    expect(existsSync(join(mount!.path, "x"))).toBe(true);
    await connection.close();
    expect(await eventually(() => !existsSync(mount!.path))).toBe(true);
  });

  it("runs the setup script first, and returns its error", async () => {
    const { runner } = await open({}, { setup: `echo "it's ready" > setup.txt\necho noise` });
    expect(Buffer.from((await runner.fs.read("setup.txt")).bytes).toString()).toBe("it's ready\n");
    const failing = createSshBackend(sshd.target()).open({ ...SPEC, setup: "echo broken >&2; exit 3" });
    await expect(failing).rejects.toMatchObject({
      code: "SANDBOX_SETUP_FAILED",
      details: { said: expect.stringContaining("broken") as string },
    });
  });

  it("limits the size of files", async () => {
    const { runner } = await open({}, { limits: { ...SPEC.limits, fileMb: 1 } });
    const { id } = await runner.processes.start(
      "big",
      { script: "head -c 3000000 /dev/zero > big", cwd: sshd.root, env: ENV },
      { waitMs: 5_000 },
    );
    await runner.processes.wait(id);
    expect((await runner.fs.stat("big"))?.size).toBe(1024 * 1024);
    rmSync(join(sshd.root, "big"));
  });

  it("reports the duration and the enforced limits", async () => {
    const probe = await createSshBackend(sshd.target()).probe();
    expect(probe).toMatchObject({
      backend: "ssh",
      available: true,
      details: { runner: "Node", root: sshd.root },
    });
    expect(probe.startMs).toBeGreaterThan(0);
    expect(clients(sshd.port)).toEqual([]);
  });

  describe("failures", () => {
    it("explains that no server listens", async () => {
      const port = await freePort();
      const probe = await createSshBackend(sshd.target({ port })).probe();
      expect(probe).toMatchObject({
        available: false,
        details: { code: "SANDBOX_UNAVAILABLE", cause: "refused" },
      });
      expect(probe.reason).toContain("no server listens");
      expect(probe.fix).toContain("sshd");
    });

    it("explains an unknown host", async () => {
      const host = "no-such-host.invalid";
      const failed = createSshBackend(sshd.target({ host })).open(SPEC);
      expect(await codeOf(failed)).toBe("SANDBOX_UNAVAILABLE unknown-host");
    });

    it("explains a refused key", async () => {
      const base = mkdtempSync(join(tmpdir(), "haft-key-"));
      onTestFinished(() => rmSync(base, { recursive: true }));
      const identityFile = join(base, "other");
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", identityFile]);
      const failed = () => createSshBackend(sshd.target({ identityFile })).open(SPEC);
      expect(await codeOf(failed())).toBe("SANDBOX_UNAVAILABLE authentication-failed");
      chmodSync(identityFile, 0o644);
      expect(await codeOf(failed())).toMatch(/^SANDBOX_UNAVAILABLE (authentication-failed|key-permissions)$/);
    });

    it("neither accepts nor stores an unknown host key", async () => {
      const base = mkdtempSync(join(tmpdir(), "haft-known-"));
      onTestFinished(() => rmSync(base, { recursive: true }));
      const UserKnownHostsFile = join(base, "known_hosts");
      const failed = createSshBackend(sshd.target({ options: { UserKnownHostsFile } })).open(SPEC);
      expect(await codeOf(failed)).toBe("SANDBOX_UNAVAILABLE host-key-unknown");
      expect(existsSync(UserKnownHostsFile)).toBe(false);
    });

    it("explains a changed host key", async () => {
      const base = mkdtempSync(join(tmpdir(), "haft-known-"));
      onTestFinished(() => rmSync(base, { recursive: true }));
      const UserKnownHostsFile = join(base, "known_hosts");
      writeFileSync(
        UserKnownHostsFile,
        `[127.0.0.1]:${sshd.port} ${readFileSync(`${sshd.identityFile}.pub`, "utf8")}`,
      );
      const failed = createSshBackend(sshd.target({ options: { UserKnownHostsFile } })).open(SPEC);
      expect(await codeOf(failed)).toBe("SANDBOX_UNAVAILABLE host-key-changed");
    });

    it("explains a missing client", async () => {
      const failed = createSshBackend(sshd.target({ ssh: "/nowhere/ssh" })).open(SPEC);
      expect(await codeOf(failed)).toBe("SANDBOX_UNAVAILABLE no-client");
    });

    it("explains an unknown option", async () => {
      const failed = createSshBackend(sshd.target({ options: { NoSuchOption: "x" } })).open(SPEC);
      expect(await codeOf(failed)).toBe("SANDBOX_UNAVAILABLE bad-option");
    });

    it("explains a missing folder", async () => {
      const failed = createSshBackend(sshd.target({ root: "/no/such folder" })).open(SPEC);
      await expect(failed).rejects.toMatchObject({
        code: "SANDBOX_START_FAILED",
        message: expect.stringContaining("/no/such folder") as string,
      });
    });

    it("explains a missing Node", async () => {
      const probe = await createSshBackend(sshd.target({ remoteNode: "/no/node" })).probe();
      expect(probe).toMatchObject({
        available: false,
        details: { code: "SANDBOX_NO_RUNNER", cause: "no-node" },
      });
    });
  });
});

if (noSshd !== undefined) process.stderr.write(`SKIPPED: ssh on the loopback, because ${noSshd}.\n`);

function withMarker(marker: string): number {
  return pids((pid) => readFileSync(`/proc/${pid}/environ`, "utf8").includes(`MARKER=${marker}`)).length;
}

function pids(test: (pid: number) => boolean): number[] {
  const all = execFileSync("ls", ["/proc"], { encoding: "utf8" })
    .split("\n")
    .filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((pid) => {
    try {
      return test(pid);
    } catch {
      return false;
    }
  });
}
