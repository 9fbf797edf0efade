import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { SandboxSpec } from "../../src/backend.ts";
import { findInstalledRuntime } from "../../src/sandbox-runtime/requirements.ts";
import { createSandboxRuntimeBackend } from "../../src/sandbox-runtime/sandbox-runtime-backend.ts";
import { openSandbox } from "../../src/session/open-sandbox.ts";
import { specFor } from "../spec-for.ts";
import { catchFailure, tempFolder } from "../support.ts";
import {
  createTestBackend,
  openTestSandbox,
  createWorkspaceFolder,
  probe,
  testAsRoot,
  testInSandbox,
} from "./support.ts";

/** A temporary folder of this test's own, and what of srt's is in it. */
function temporaryFolders(): () => string[] {
  const folder = tempFolder("tmp");
  chmodSync(folder, 0o755);
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return () => readdirSync(folder).filter((name) => name.startsWith("haft-srt-"));
}

function processesWith(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(text);
      } catch {
        return false;
      }
    });
}

describe("missing parts", () => {
  test("names the missing package", () => {
    const notThere = (): string => {
      throw new Error("not found");
    };
    expect(() => findInstalledRuntime(notThere)).toThrow(
      expect.objectContaining({
        code: "SANDBOX_UNAVAILABLE",
        fix: expect.stringContaining("npm install @anthropic-ai/sandbox-runtime"),
      }),
    );
  });

  test("names missing programs of the system", async () => {
    const programs = tempFolder("programs");
    symlinkSync("/bin/true", join(programs, "bwrap"));
    vi.stubEnv("PATH", programs);
    onTestFinished(() => void vi.unstubAllEnvs());
    const probe = await createSandboxRuntimeBackend().probe();
    expect(probe).toMatchObject({
      available: false,
      reason: expect.stringContaining("it needs socat and rg, which are not installed"),
      fix: expect.stringContaining("apt install socat ripgrep"),
    });
  });
});

describe("unsupported specifications", () => {
  const refused: [string, Partial<SandboxSpec>, string][] = [
    ["refuses every host", { network: "full" }, "its network must be a list of hosts, or none"],
    ["refuses an image", { image: "debian" }, "programs of this machine"],
    ["refuses to outlive the host", { lifetime: { idleMs: 1, maxAgeMs: 1 } }, "end with it"],
    ["refuses a workspace without a folder", { mounts: [] }, "no folder on the host"],
    ["refuses root", { user: { uid: 0, gid: 0 } }, "never run as root"],
  ];
  testInSandbox.for(refused)("%s", async ([, more, why]) => {
    const failure = await catchFailure(createTestBackend().open(specFor(createWorkspaceFolder(), more)));
    expect(failure).toMatchObject({ code: "SANDBOX_UNSUPPORTED", message: expect.stringContaining(why) });
  });

  testInSandbox("refuses hosts with a scheme or path, whole domains, and invalid hosts", async () => {
    const folders = temporaryFolders();
    const allow = ["http://example.com", "*.com", "example.com/path", "a b"];
    const failure = await catchFailure(
      createTestBackend().open(specFor(createWorkspaceFolder(), { network: { allow } })),
    );
    expect(failure.code).toBe("SANDBOX_UNSUPPORTED");
    expect(failure.message).toContain("srt does not accept it (");
    for (const at of allow.keys()) expect(failure.message).toContain(`network.allowedDomains.${at}:`);
    expect(failure.fix).toContain("*.example.com");
    expect(folders()).toEqual([]);
  });

  testAsRoot("refuses files of root", async () => {
    const failure = await catchFailure(createTestBackend().open(specFor(tempFolder("of-root"))));
    expect(failure).toMatchObject({ code: "SANDBOX_UNSUPPORTED", fix: expect.stringContaining("chown") });
  });

  testInSandbox("refuses a missing folder", async () => {
    const failure = await catchFailure(
      createTestBackend().open(specFor("/not/there", { user: { uid: 1000, gid: 1000 } })),
    );
    expect(failure.code).toMatch(/SANDBOX_(START_FAILED|UNSUPPORTED)/);
  });
});

describe("the start", () => {
  testInSandbox("probes by starting a sandbox and testing its network", () => {
    expect(probe).toMatchObject({
      available: true,
      startMs: expect.any(Number),
      details: expect.objectContaining({ package: expect.stringMatching(/^\d/), lifetime: "tethered" }),
    });
  });

  testInSandbox("accepts both paths of the workspace, after the setup script", async () => {
    const workspace = createWorkspaceFolder();
    const { sandbox, run } = await openTestSandbox(
      specFor(workspace, { setup: "echo made >~/made", env: { A: "it's" } }),
    );
    expect((await run('cat ~/made; echo "$A"')).output).toBe("made\nit's\n");
    await sandbox.fs.write("a.txt", Buffer.from("text"));
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("text");
    expect(statSync(join(workspace, "a.txt")).uid).toBe(statSync(workspace).uid);
    expect((await run("pwd; cat a.txt; echo b >b.txt")).output).toBe(`${workspace}\ntext`);
    expect(Buffer.from((await sandbox.fs.read(join(workspace, "b.txt"))).bytes).toString()).toBe("b\n");
    expect(readdirSync(workspace).toSorted()).toEqual(["a.txt", "b.txt"]);
  });

  testInSandbox("lets neither tools nor commands write to a read-only workspace", async () => {
    const workspace = createWorkspaceFolder();
    writeFileSync(join(workspace, "a.txt"), "text");
    const { sandbox, run } = await openTestSandbox(specFor(workspace, { workspace: "ro" }));
    expect((await run("cat a.txt; echo x >a.txt || echo refused")).output).toContain("refused");
    await expect(sandbox.fs.write("b.txt", Buffer.from("x"))).rejects.toMatchObject({
      code: expect.any(String),
    });
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("text");
    expect(readdirSync(workspace)).toEqual(["a.txt"]);
  });

  testInSandbox("protects files, and refuses folders that would need pinning", async () => {
    const workspace = createWorkspaceFolder();
    mkdirSync(join(workspace, ".vscode"));
    for (const name of [".vscode/tasks.json", ".envrc"]) writeFileSync(join(workspace, name), "one\n");
    const at = (name: string, access: "ro" | "rw") => {
      const hostPath = join(workspace, name);
      const { dev, ino } = statSync(hostPath, { bigint: true });
      return { hostPath, path: hostPath, access, identity: `${dev}:${ino}` };
    };
    const spec = specFor(workspace, { network: { allow: ["example.com"] } });
    const held = [at(".vscode", "ro"), at(".envrc", "ro")];
    const sandbox = await openSandbox(createTestBackend(), spec, { protectedPaths: () => held });
    onTestFinished(() => sandbox.close());
    const script = `
      echo evil > .envrc; rm -f .envrc; mv .vscode v; rm -rf .vscode
      echo evil > .vscode/tasks.json; echo good > other`;
    const { id } = await sandbox.processes.start("plant", { script });
    await sandbox.processes.wait(id);
    for (const name of [".vscode/tasks.json", ".envrc"])
      expect(readFileSync(join(workspace, name), "utf8")).toBe("one\n");
    expect(readFileSync(join(workspace, "other"), "utf8")).toBe("good\n");
    expect(
      await catchFailure(
        openSandbox(createTestBackend(), spec, { protectedPaths: () => [at(".vscode", "rw")] }),
      ),
    ).toMatchObject({
      code: "SANDBOX_UNSUPPORTED",
    });
  });

  testInSandbox("returns the error of a setup script", async () => {
    const failing = specFor(createWorkspaceFolder(), { setup: "echo 'no such thing' >&2; exit 3" });
    expect(await catchFailure(createTestBackend().open(failing))).toMatchObject({
      code: "SANDBOX_SETUP_FAILED",
      message: expect.stringContaining("no such thing"),
    });
  });
});

describe("the end", () => {
  testInSandbox("leaves no process, folder or record after the close", async () => {
    const folders = temporaryFolders();
    const backend = createTestBackend();
    const { sandbox, run } = await openTestSandbox(specFor("", { workspace: "none", mounts: [] }), backend);
    const { cwd } = sandbox.describe();
    expect((await run("echo x >x && pwd")).output).toBe(`${cwd}\n`);
    expect(existsSync(join(cwd, "x"))).toBe(true);
    await run("(trap '' TERM; setsid sleep 600) >/dev/null 2>&1 & true");
    const { id } = sandbox.ref;
    expect(await backend.list()).toEqual([expect.objectContaining({ id, backend: "sandbox-runtime" })]);
    expect(processesWith(`HAFT_SANDBOX=${id}`)).not.toEqual([]);
    await sandbox.close();
    expect(processesWith(`HAFT_SANDBOX=${id}`)).toEqual([]);
    expect(await backend.list()).toEqual([]);
    expect(folders()).toEqual([]);
    expect(existsSync(cwd)).toBe(false);
  });

  testInSandbox(
    "loses running operations when it is destroyed by id, and reopens for the next call",
    async () => {
      const backend = createTestBackend();
      const { sandbox, run } = await openTestSandbox(specFor(createWorkspaceFolder()), backend);
      const { ref, ended } = sandbox;
      expect(await backend.destroy(ref)).toBe(true);
      expect(await backend.destroy(ref)).toBe(false);
      await ended;
      expect((await run("echo again")).output).toBe("again\n");
      expect(sandbox.ref.id).not.toBe(ref.id);
    },
  );

  testInSandbox("ends commands when the runner is stopped", async () => {
    const workspace = createWorkspaceFolder();
    const { sandbox } = await openTestSandbox(specFor(workspace));
    const script = "touch begun; for p in /proc/[0-9]*; do kill -STOP ${p##*/}; done 2>/dev/null";
    sandbox.processes.start("stops", { script }).catch(() => {});
    await expect.poll(() => existsSync(join(workspace, "begun"))).toBe(true);
    const { id } = sandbox.ref;
    await sandbox.close();
    expect(processesWith(`HAFT_SANDBOX=${id}`)).toEqual([]);
  });
});
