import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { specFor } from "../spec-for.ts";
import { catchFailure, processesWith, tempFolder } from "../support.ts";
import {
  createTestBackend,
  openTestSandbox,
  createWorkspaceFolder,
  testAsRoot,
  testGrouped,
  testInSandbox,
} from "./support.ts";

describe("refused openings", () => {
  test("refuses a list of domains and names a backend that supports it", async () => {
    const error = await catchFailure(
      createTestBackend().open(specFor(createWorkspaceFolder(), { network: { allow: ["example.org"] } })),
    );
    expect(error).toMatchObject({ code: "SANDBOX_UNSUPPORTED", category: "input", receipt: "none" });
    expect(error.fix).toContain("Use the sandbox-runtime backend");
  });

  test.each(["relative", "/", "/proc/x", "/usr/share/mine", "/opt", "/etc", "/tmp", "/workspace/../dev"])(
    "refuses a mount at %s",
    async (path) => {
      const hostPath = createWorkspaceFolder();
      const mounts = [{ name: "", hostPath, path, access: "rw" as const }];
      expect((await catchFailure(createTestBackend().open(specFor(hostPath, { mounts })))).code).toBe(
        "SANDBOX_UNSUPPORTED",
      );
    },
  );

  test("returns an error if the mounted folder is missing or a file", async () => {
    const there = tempFolder();
    writeFileSync(join(there, "file"), "");
    for (const hostPath of [join(there, "missing"), join(there, "file"), "relative"]) {
      const error = await catchFailure(createTestBackend().open(specFor(hostPath)));
      expect(error.code).toBe("SANDBOX_START_FAILED");
      expect(error.message).toContain(JSON.stringify(hostPath));
    }
  });

  test("returns an error if bubblewrap is not installed", async () => {
    const backend = createTestBackend({ bwrap: "/nowhere/bwrap" });
    const error = await catchFailure(backend.open(specFor(createWorkspaceFolder())));
    expect(error).toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
    expect(error.fix).toContain("apt install bubblewrap");
    expect(await backend.probe()).toMatchObject({ available: false, reason: error.message, fix: error.fix });
  });

  testAsRoot("refuses files of root without the filter against setuid programs", async () => {
    const error = await catchFailure(
      createTestBackend({ filter: false }).open(specFor(createWorkspaceFolder())),
    );
    expect(error.code).toBe("SANDBOX_UNSUPPORTED");
    expect(error.message).toContain("setuid");
  });

  testInSandbox("returns an error if the runner throws or ends", async () => {
    const folder = createWorkspaceFolder();
    const broken = createTestBackend({ runner: async () => ({ source: "throw new Error('no good')" }) });
    const error = await catchFailure(broken.open(specFor(folder)));
    expect(error.code).toBe("SANDBOX_START_FAILED");
    const silent = createTestBackend({ runner: async () => ({ source: "" }) });
    expect((await catchFailure(silent.open(specFor(folder)))).message).toContain("exit code 0");
    expect(await silent.list()).toEqual([]);
  });

  testInSandbox("returns an error if the state folder cannot be used", async () => {
    const error = await catchFailure(
      createTestBackend({ stateFolder: "/proc/sys" }).open(specFor(createWorkspaceFolder())),
    );
    expect(error.code).toBe("SANDBOX_START_FAILED");
  });

  testAsRoot("returns an error if the state folder belongs to another user", async () => {
    const stateFolder = createWorkspaceFolder(4321);
    const error = await catchFailure(
      createTestBackend({ stateFolder }).open(specFor(createWorkspaceFolder())),
    );
    expect(error.code).toBe("SANDBOX_START_FAILED");
    expect(error.message).toContain("another user");
  });
});

describe("environment of commands", () => {
  testInSandbox("gives commands a writable workspace and runs them as its owner", async () => {
    const folder = createWorkspaceFolder();
    writeFileSync(join(folder, "from-host"), "hello");
    const { run } = await openTestSandbox(specFor(folder));
    const { output } = await run("pwd; cat from-host; echo made >from-inside; stat -c %u from-host; id -u");
    const [cwd, , owner, self] = output.replace("hello", "hello\n").split("\n");
    expect(cwd).toBe("/workspace");
    expect(owner).toBe(self);
    expect(readFileSync(join(folder, "from-inside"), "utf8")).toBe("made\n");
    expect(lstatSync(join(folder, "from-inside")).uid).toBe(process.getuid!());
  });

  testAsRoot("keeps the owner of files on both sides, also in a folder with mode 0700", async () => {
    const folder = createWorkspaceFolder(4321);
    chmodSync(folder, 0o700);
    const { run } = await openTestSandbox(specFor(folder));
    expect((await run("id -u; id -g; echo made >made")).output).toBe("4321\n4321\n");
    expect(lstatSync(join(folder, "made"))).toMatchObject({ uid: 4321, gid: 4321 });
  });

  testInSandbox("makes the workspace read-only, even if the mount is writable", async () => {
    const folder = createWorkspaceFolder();
    const { run, connection } = await openTestSandbox(specFor(folder, { workspace: "ro" }));
    expect((await run("touch x")).output).toContain("Read-only");
    expect(connection.mounts).toEqual([{ name: "", path: "/workspace", access: "ro" }]);
    expect(connection.facts).toEqual({ mount: "ro", network: "none" });
  });

  testInSandbox("ends a private workspace with the sandbox", async () => {
    const spec = specFor("/nowhere", { workspace: "none", mounts: [] });
    const first = await openTestSandbox(spec);
    expect((await first.run("pwd; touch x && ls")).output).toBe("/workspace\nx\n");
    expect((await (await openTestSandbox(spec)).run("ls")).output).toBe("");
  });

  testInSandbox("passes only the specified variables, and on no command line", async () => {
    process.env["HAFT_TEST_SECRET"] = "of the host";
    const { run } = await openTestSandbox(
      specFor(createWorkspaceFolder(), { env: { TOKEN: "for-inside", HOME: "/workspace" } }),
    );
    const names = (await run("env | cut -d= -f1 | sort | tr '\\n' ' '")).output;
    delete process.env["HAFT_TEST_SECRET"];
    expect(names).toBe("HOME LANG LOGNAME PATH PWD TMPDIR TOKEN USER ");
    for (const pid of processesWith("for-inside"))
      expect(readFileSync(`/proc/${pid}/cmdline`, "latin1")).not.toContain("for-inside");
  });

  test("rejects NUL characters in variables and paths", async () => {
    const hostPath = createWorkspaceFolder();
    const env = { NAME: "value\0--bind\0/\0/mnt" };
    expect((await catchFailure(createTestBackend().open(specFor(hostPath, { env })))).code).toBe(
      "SANDBOX_UNSUPPORTED",
    );
    const mounts = [{ name: "", hostPath, path: "/mnt\0--bind\0/\0/x", access: "rw" as const }];
    expect((await catchFailure(createTestBackend().open(specFor(hostPath, { mounts })))).code).toBe(
      "SANDBOX_UNSUPPORTED",
    );
  });

  testInSandbox("keeps commands from the first process", async () => {
    const { run } = await openTestSandbox(specFor(createWorkspaceFolder()));
    const trace = "import ctypes; print(ctypes.CDLL(None).ptrace(16, 1, 0, 0))";
    const { output } = await run(
      `exec 2>&1; ls -A /proc/1 | wc -l; python3 -c "${trace}"; kill -9 1; echo alive`,
    );
    expect(output).toMatch(/^0\n-1\n.*not permitted\n+alive\n$/);
  });

  testInSandbox("passes no open file of the host", async () => {
    const { run, evaluate } = await openTestSandbox(specFor(createWorkspaceFolder()));
    const open = (await run("for f in /proc/self/fd/*; do readlink $f; done")).output.split("\n");
    expect(
      open.filter((link) => link.startsWith("/") && link !== "/dev/null" && !link.startsWith("/proc/")),
    ).toEqual([]);
    expect(await evaluate("process.getuid()")).toBe((await run("id -u")).output.trim());
  });

  testInSandbox("provides Node, usual programs, user names, terminals and certificates", async () => {
    const { run } = await openTestSandbox(specFor(createWorkspaceFolder()));
    const { output } = await run(
      "id -un; getent passwd haft; node -p 1+1; ls /etc/ssl/certs | head -n 1 | wc -l; ls /dev/ptmx",
    );
    expect(output).toMatch(/^haft\nhaft:x:\d+:\d+:.*\n2\n1\n\/dev\/ptmx\n$/);
  });

  testInSandbox("resolves a link as the mounted folder at the opening", async () => {
    const base = tempFolder();
    mkdirSync(join(base, "real"));
    symlinkSync("real", join(base, "link"));
    const { run } = await openTestSandbox(specFor(join(base, "link")));
    await run("touch made");
    expect(existsSync(join(base, "real/made"))).toBe(true);
  });

  testInSandbox("shares the host's network only on request", async () => {
    const { run, connection } = await openTestSandbox(specFor(createWorkspaceFolder(), { network: "full" }));
    expect((await run("readlink /proc/self/ns/net")).output.length).toBeGreaterThan(0);
    expect(connection.facts.network).toBe("full");
  });
});

describe("setup", () => {
  testInSandbox("runs once, inside, before all commands", async () => {
    const { run } = await openTestSandbox(
      specFor(createWorkspaceFolder(), { setup: 'echo "it\'s $(id -un)" >prepared; echo noise' }),
    );
    expect((await run("cat prepared")).output).toBe("it's haft\n");
  });

  testInSandbox("fails the opening with the script's output if the script fails", async () => {
    const error = await catchFailure(
      createTestBackend().open(specFor(createWorkspaceFolder(), { setup: "echo no package >&2; exit 3" })),
    );
    expect(error.code).toBe("SANDBOX_SETUP_FAILED");
    expect(error.message).toContain("no package");
  });
});

describe("limits", () => {
  const limits = { memoryMb: 320, tasks: 64, cpus: 0.5, fileMb: 8, tmpMb: 16 };

  testGrouped("reports the memory limit if it ends the runner", async () => {
    const { connection, evaluate } = await openTestSandbox(specFor(createWorkspaceFolder(), { limits }));
    await evaluate(
      "globalThis.all = []; for (let i = 0; i < 200; i++) all.push(Buffer.alloc(8 << 20, 1)); 1",
    ).catch(() => {});
    expect(await connection.ended).toMatchObject({ oom: true, exitCode: 137 });
    expect((await connection.ended).why).toContain("320 MiB");
  });

  testGrouped("limits processors", async () => {
    const { run } = await openTestSandbox(specFor(createWorkspaceFolder(), { limits }));
    const used = await run(
      "begin=$(date +%s%N); timeout 1 sh -c 'while :; do :; done'; end=$(date +%s%N); times | tail -n 1; echo $((end - begin))",
    );
    const [times = "", took = ""] = used.output.trim().split("\n").slice(-2);
    const [, minutes, seconds] = /^(\d+)m([\d.]+)s/.exec(times) ?? [];
    // A share of the time that went by, however long that was on a busy machine.
    expect((Number(minutes) * 60 + Number(seconds)) / (Number(took) / 1e9)).toBeLessThan(0.85);
  });

  testInSandbox(
    "returns EFBIG if the runner writes a file that is too large, and keeps it running",
    async () => {
      const { run, evaluate } = await openTestSandbox(specFor(createWorkspaceFolder(), { limits }));
      const code =
        "(() => { try { require('fs').writeFileSync('/workspace/x', Buffer.alloc(9 << 20)); } catch (e) { return e.code } })()";
      expect(await evaluate(code.replace("require('fs')", "process.getBuiltinModule('fs')"))).toBe("EFBIG");
      expect((await run("echo alive")).output).toBe("alive\n");
    },
  );
});
