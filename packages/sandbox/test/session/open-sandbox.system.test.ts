import { HaftError } from "@haft/core";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../../../test/support/until.ts";
import type { SandboxBackend } from "../../src/backend.ts";
import { openSandbox, type OpenSandboxOptions, sandboxKey, type SandboxWorkspace } from "../../src/index.ts";
import { createPipeBackend, type PipeBackend, pipeSpec } from "../pipe-backend.ts";
import { catchFailure, tempFolder } from "../support.ts";

interface Opened {
  workspace: SandboxWorkspace;
  backend: PipeBackend;
  root: string;
  base: string;
}

async function open(options: OpenSandboxOptions = {}, env: Record<string, string> = {}): Promise<Opened> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-open-")));
  const root = join(base, "ws");
  mkdirSync(root);
  mkdirSync(join(base, "data"));
  const backend = createPipeBackend();
  const workspace = await openSandbox(
    backend,
    pipeSpec(
      [
        { name: "", hostPath: root, path: root, access: "rw" },
        { name: "data", hostPath: join(base, "data"), path: join(base, "data"), access: "ro" },
      ],
      env,
    ),
    options,
  );
  onTestFinished(async () => {
    await workspace.close();
    rmSync(base, { recursive: true, force: true });
  });
  return { workspace, backend, root, base };
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

async function textAt({ fs }: SandboxWorkspace, path: string): Promise<string> {
  return Buffer.from((await fs.read(path)).bytes).toString();
}

async function outputOf({ processes }: SandboxWorkspace, script: string): Promise<string> {
  const { id } = await processes.start(`call-${Math.random()}`, { script }, { waitMs: 60_000 });
  return Buffer.concat((await processes.read(id, 0)).chunks.map((one) => one.bytes)).toString();
}

describe("the workspace", () => {
  test("describes itself", async () => {
    const { workspace, root, base } = await open();
    expect(workspace.describe()).toEqual({
      target: "sandbox",
      cwd: root,
      mounts: [
        { name: "", path: root, access: "rw" },
        { name: "data", path: join(base, "data"), access: "ro" },
      ],
      boundary: "kernel",
    });
    expect(workspace.facts).toEqual({ mount: "rw", network: "full" });
    expect(workspace.capabilities).toMatchObject({ files: true, processes: true });
    expect(workspace.ref).toMatchObject({
      backend: "pipe",
      key: sandboxKey({ key: "test", scope: "session" }),
    });
  });

  test("has named roots with their access", async () => {
    const { workspace, base } = await open();
    writeFileSync(join(base, "data", "a"), "data");
    expect(await textAt(workspace, "data:a")).toBe("data");
    expect(await textAt(workspace, join(base, "data", "a"))).toBe("data");
    expect((await catchFailure(workspace.fs.write("data:a", bytes("x")))).code).toBe("READ_ONLY");
  });

  test("passes the variables of the specification, and none that are blocked", async () => {
    const { workspace } = await open({}, { FROM_SPEC: "1" });
    expect(await outputOf(workspace, "echo $FROM_SPEC")).toBe("1\n");
    const blocked = workspace.processes.start("x", { script: "true", env: { LD_PRELOAD: "x" } });
    expect((await catchFailure(blocked)).code).toBe("ENVIRONMENT_BLOCKED");
  });

  test("applies patterns of the host inside", async () => {
    const { workspace, root } = await open({ deny: ["secret.txt"], readOnly: ["fixed"] });
    writeFileSync(join(root, "secret.txt"), "");
    expect((await catchFailure(workspace.fs.read("secret.txt"))).code).toBe("PATH_DENIED");
    expect((await catchFailure(workspace.fs.write("fixed/a", bytes("x")))).code).toBe("READ_ONLY");
  });
});

describe("an additional root of the host", () => {
  const extended = async () => {
    const opened = await open();
    const spool = join(opened.base, "spool");
    mkdirSync(spool);
    writeFileSync(join(spool, "result-1.txt"), "all of it");
    return { ...opened, spool, workspace: opened.workspace.withRoot!("spool", spool) as SandboxWorkspace };
  };

  test("can be read only by its name", async () => {
    const { workspace, spool } = await extended();
    expect(await textAt(workspace, "spool:result-1.txt")).toBe("all of it");
    expect(await workspace.fs.stat("spool:result-1.txt")).toMatchObject({ size: 9 });
    expect(await workspace.fs.realpath("spool:result-1.txt")).toBe("spool:result-1.txt");
    expect((await workspace.fs.list("spool:")).entries).toEqual([{ name: "result-1.txt", type: "file" }]);
    expect((await catchFailure(workspace.fs.read(join(spool, "result-1.txt")))).code).toBe(
      "OUTSIDE_WORKSPACE",
    );
  });

  test.each([
    "spool:../ws/a",
    "spool:/../ws/a",
    "spool:/etc/passwd/../../etc/passwd",
    "spool:link/passwd",
    "spool:file",
    "spool:./../../../../etc/passwd",
  ])("does not resolve %s", async (path) => {
    const { workspace, spool, root } = await extended();
    writeFileSync(join(root, "a"), "secret");
    symlinkSync("/etc", join(spool, "link"));
    symlinkSync("/etc/passwd", join(spool, "file"));
    const { code } = await catchFailure(workspace.fs.read(path));
    expect(["OUTSIDE_WORKSPACE", "FILE_NOT_FOUND"]).toContain(code);
  });

  test.each(["file:///etc/passwd", "~/x", "/etc/passwd", "@/etc/passwd", "spool:x", "//etc/passwd"])(
    "treats the text after its name as a path inside it: %s",
    async (rest) => {
      const { workspace } = await extended();
      expect((await catchFailure(workspace.fs.read(`spool:${rest}`))).code).toBe("FILE_NOT_FOUND");
    },
  );

  test("cannot be changed", async () => {
    const { workspace, spool } = await extended();
    const path = "spool:result-1.txt";
    for (const call of [
      () => workspace.fs.write(path, bytes("x")),
      () => workspace.fs.append(path, bytes("x")),
      () => workspace.fs.mkdirp("spool:new"),
      () => workspace.fs.remove(path),
      () => workspace.fs.rename(path, "a"),
      () => workspace.fs.rename("a", path),
    ]) {
      expect(await catchFailure(call())).toMatchObject({ code: "READ_ONLY", receipt: "none" });
    }
    expect(readdirSync(spool)).toEqual(["result-1.txt"]);
  });
});

describe("a lost sandbox", () => {
  test("fails running operations, and is reopened by the next call", async () => {
    const warnings: string[] = [];
    const { workspace, backend } = await open({ logger: { warn: (message) => warnings.push(message) } });
    await workspace.fs.write("a", bytes("kept"));
    const { id } = await workspace.processes.start("long", { script: "sleep 20" });
    const ended = await workspace.processes.start("short", { script: "exit 3" }, { waitMs: 60_000 });
    const waiting = workspace.processes.wait(id);
    const end = workspace.ended;
    process.kill(backend.opened[0]!.pid, "SIGKILL");
    const cut = catchFailure(workspace.processes.start("cut", { script: "echo twice" }));
    expect(await waiting).toMatchObject({ state: "lost" });
    expect(await cut).toMatchObject({ code: "SANDBOX_LOST", receipt: "unknown" });
    expect(await end).toMatchObject({ why: "it was ended by SIGKILL" });
    expect(await textAt(workspace, "a")).toBe("kept");
    expect(backend.opened).toHaveLength(2);
    // What was started is not started again; what ended is still known.
    expect((await catchFailure(workspace.processes.start("cut", { script: "echo twice" }))).code).toBe(
      "SANDBOX_LOST",
    );
    expect(await workspace.processes.start("long", { script: "echo twice" })).toMatchObject({
      id,
      state: "lost",
    });
    expect(await workspace.processes.info(ended.id)).toMatchObject({ state: "exited", exitCode: 3 });
    expect(await outputOf(workspace, "echo again")).toBe("again\n");
    expect(backend.opened).toHaveLength(2);
    expect(warnings).toEqual(["A sandbox is lost: it was ended by SIGKILL."]);
  });

  test("is reopened once for concurrent calls", async () => {
    const { workspace, backend } = await open();
    process.kill(backend.opened[0]!.pid, "SIGKILL");
    await workspace.ended;
    await new Promise((resolve) => setTimeout(resolve, 50));
    await Promise.all(Array.from({ length: 20 }, () => workspace.fs.stat(".")));
    expect(backend.opened).toHaveLength(2);
  });

  test("is given up if it does not answer", async () => {
    // With nothing to ask about, the write is the first that is sent.
    const { workspace, backend } = await open({ answerMs: 1500, projectSettings: [] });
    const { pid } = backend.opened[0]!;
    process.kill(pid, "SIGSTOP");
    const reading = catchFailure(workspace.fs.stat("."));
    const writing = catchFailure(workspace.fs.write("a", bytes("x")));
    expect(await reading).toMatchObject({ code: "SANDBOX_LOST", receipt: "none" });
    expect(await writing).toMatchObject({ code: "SANDBOX_LOST", receipt: "unknown" });
    process.kill(pid, "SIGKILL");
    // On a busy machine the next one may take as long, too.
    await until("it is there again", async () => {
      const found = await workspace.fs.stat(".").catch(() => undefined);
      return found?.type === "directory";
    });
  });

  test("reports why it cannot be reopened, and runs nothing on the host", async () => {
    const { workspace, backend, root } = await open();
    const refusal = new HaftError("SANDBOX_UNAVAILABLE", "There is no more.", {
      category: "operational",
      receipt: "none",
    });
    backend.open = () => Promise.reject(refusal);
    process.kill(backend.opened[0]!.pid, "SIGKILL");
    await workspace.ended;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await catchFailure(workspace.fs.write("a", bytes("x")))).toBe(refusal);
    expect(await catchFailure(workspace.processes.start("x", { script: "touch ran" }))).toBe(refusal);
    expect(readdirSync(root)).toEqual([]);
  });
});

describe("opening", () => {
  const specOf = (hostPath = tempFolder(), path = hostPath) =>
    pipeSpec([{ name: "", hostPath, path, access: "rw" }]);

  test("reports the end of a runner that cannot start, and leaves no remains", async () => {
    const backend = createPipeBackend(["false"]);
    const failure = await catchFailure(openSandbox(backend, specOf()));
    expect(failure).toMatchObject({ code: "SANDBOX_NO_RUNNER", receipt: "none" });
    expect(failure.message).toContain("it exited with code 1");
  });

  test("fails if a root is missing inside", async () => {
    const missing = specOf(tempFolder(), "/no/such/folder");
    const backend = createPipeBackend();
    expect((await catchFailure(openSandbox(backend, missing))).code).toBe("ROOT_INVALID");
    await backend.opened[0]!.connection.ended;
  });

  test("leaves no remains if cancelled", async () => {
    const backend = createPipeBackend(["sh", "-c", "cat >/dev/null"]);
    const controller = new AbortController();
    const opening = catchFailure(openSandbox(backend, specOf(), { signal: controller.signal }));
    setTimeout(() => controller.abort(), 300);
    expect(await opening).toMatchObject({ code: "ABORTED", receipt: "none" });
    await backend.opened[0]!.connection.ended;
  });

  test("refuses variables that break commands before it opens a sandbox", async () => {
    let opened = 0;
    const backend: SandboxBackend = {
      ...createPipeBackend(),
      open: () => {
        opened++;
        return Promise.reject(new Error("opened"));
      },
    };
    const bad = { ...specOf(), env: { LD_PRELOAD: "/x.so" } };
    expect((await catchFailure(openSandbox(backend, bad))).code).toBe("ENVIRONMENT_BLOCKED");
    expect(opened).toBe(0);
  });
});

test("ends everything on close, which may be repeated", async () => {
  const { workspace, backend, root } = await open();
  await workspace.processes.start("x", { script: "while sleep 0.05; do echo x >> log; done" });
  await Promise.all([workspace.close(), workspace.close()]);
  await backend.opened[0]!.connection.ended;
  const written = () => statSync(join(root, "log"), { throwIfNoEntry: false })?.size ?? 0;
  const before = written();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(written()).toBe(before);
  expect(await catchFailure(workspace.fs.stat("."))).toMatchObject({ code: "SANDBOX_LOST", receipt: "none" });
  expect((await catchFailure(workspace.processes.start("y", { script: "true" }))).code).toBe("SANDBOX_LOST");
  expect(backend.opened).toHaveLength(1);
});
