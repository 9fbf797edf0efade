import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import { openSandbox } from "@haft/sandbox";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { toSandboxSpec } from "../../src/sandbox/sandbox-spec.ts";
import { openTestHost, bubblewrap, call, isSkipped, run, getText } from "./support.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe.skipIf(isSkipped)("a sandboxed session", () => {
  test("runs every tool inside and reports the sandbox in its facts", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "of the host\n");
    const host = await openTestHost(cwd, { sandbox: { workspaceAccess: "rw" } });
    const session = await host.openSession({ kind: "sandboxed" });
    expect(session.facts).toMatchObject({ kind: "sandboxed", sandbox: { mount: "rw", network: "none" } });
    expect(getText(await call(session, "read", { path: "a.txt" }))).toBe("of the host\n");
    expect(await call(session, "edit", { path: "a.txt", oldText: "host", newText: "sandbox" })).toMatchObject(
      {
        kind: "ok",
        receipt: "committed",
      },
    );
    const patch = "*** Begin Patch\n*** Add File: new/b.txt\n+made inside\n*** End Patch";
    expect(await call(session, "apply_patch", { input: patch })).toMatchObject({ kind: "ok" });
    expect(getText(await call(session, "grep", { pattern: "made" }))).toContain("b.txt");
    expect(getText(await call(session, "find", { pattern: "**/*.txt" }))).toContain("new/b.txt");
    expect(getText(await call(session, "ls", {}))).toContain("a.txt");
    expect(await run(session, "cat a.txt new/b.txt; pwd")).toBe("of the sandbox\nmade inside\n/workspace");
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("of the sandbox\n");
  });

  test("sees no files, variables, network or processes of the host by default", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "secret.txt"), "secret\n");
    process.env["HAFT_TEST_SECRET"] = "of the host";
    const host = await openTestHost(cwd);
    const session = await host.openSession({ kind: "group", sandbox: {} });
    expect(await run(session, "ls -A /workspace | wc -l")).toBe("0");
    expect(await run(session, `cat ${join(cwd, "secret.txt")} 2>&1 || echo refused`)).toContain("refused");
    expect(await run(session, "env | grep -c SECRET || true")).toBe("0");
    expect(await run(session, "cat /proc/net/dev | grep -v 'lo:' | grep -c ': ' || true")).toBe("0");
    expect(await run(session, `ls /proc/${process.pid} 2>&1 || echo refused`)).toContain("refused");
    expect(await call(session, "write", { path: "mine.txt", content: "x" })).toMatchObject({ kind: "ok" });
    expect(await run(session, "cat mine.txt")).toBe("x");
    delete process.env["HAFT_TEST_SECRET"];
  });

  test("gets the given variables after the setup has run", async () => {
    const host = await openTestHost(await temporaryFolder(), {
      sandbox: { env: { GREETING: "hello" }, setup: "echo done > /workspace/setup.txt" },
    });
    const session = await host.openSession({ kind: "sandboxed" });
    expect(await run(session, 'echo "$GREETING"; cat setup.txt')).toBe("hello\ndone");
  });

  test("cannot write to a read-only workspace with tools or commands", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "as it was\n");
    const host = await openTestHost(cwd, { sandbox: { workspaceAccess: "ro" } });
    const session = await host.openSession({ kind: "sandboxed" });
    expect(getText(await call(session, "read", { path: "a.txt" }))).toBe("as it was\n");
    expect(await call(session, "write", { path: "a.txt", content: "x" })).toMatchObject({
      code: "READ_ONLY",
    });
    expect(await run(session, "echo x > a.txt || true")).toContain("Read-only");
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("as it was\n");
  });

  test("accepts paths in the spelling of the host", async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, "sub"));
    await writeFile(join(cwd, "sub/a.txt"), "x\n");
    const host = await openTestHost(cwd, { sandbox: { workspaceAccess: "rw" } });
    const session = await host.openSession({ kind: "sandboxed" });
    for (const path of [
      "sub/a.txt",
      "/workspace/sub/a.txt",
      join(cwd, "sub/a.txt"),
      `file://${cwd}/sub/a.txt`,
    ]) {
      expect(getText(await call(session, "read", { path }))).toBe("x\n");
    }
    for (const workdir of ["sub", "/workspace/sub", join(cwd, "sub")]) {
      expect(getText(await call(session, "exec", { command: "pwd", workdir }))).toContain("/workspace/sub");
    }
    for (const path of ["/etc/passwd", "../a", join(cwd, "../a")]) {
      expect(await call(session, "read", { path })).toMatchObject({ code: "OUTSIDE_WORKSPACE" });
    }
  });

  test("mounts an extra root under its name", async () => {
    const [cwd, data] = [await temporaryFolder(), await temporaryFolder()];
    // Nobody in particular works inside when the workspace is not mounted, and they read what everybody may.
    await chmod(data, 0o755);
    await writeFile(join(data, "a.txt"), "data\n");
    const host = await openTestHost(cwd, { sandbox: { roots: { data: { path: data, access: "ro" } } } });
    const session = await host.openSession({ kind: "sandboxed" });
    expect(getText(await call(session, "read", { path: "data:a.txt" }))).toBe("data\n");
    expect(await run(session, "cat /mnt/data/a.txt")).toBe("data");
    expect(await call(session, "write", { path: "data:b.txt", content: "" })).toMatchObject({
      code: "READ_ONLY",
    });
  });

  test("reads images through the port", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "dot.png"), PNG);
    const host = await openTestHost(cwd, { sandbox: { workspaceAccess: "ro" } });
    const session = await host.openSession({ kind: "sandboxed" });
    const outcome = await call(session, "read", { path: "dot.png" });
    expect(outcome).toMatchObject({ kind: "ok", content: [{}, { type: "image", mimeType: "image/png" }] });
  });

  test("reads truncated results with its own tools", async () => {
    const host = await openTestHost(await temporaryFolder(), { maxResultCharacters: 2_000 });
    const session = await host.openSession({ kind: "sandboxed" });
    await run(session, "seq 1 200 > numbers.txt");
    const outcome = await call(session, "exec", { command: "seq 1 20000" });
    const address = /results:[\w.-]+/.exec(getText(outcome))?.[0];
    if (address === undefined) return;
    expect(await call(session, "read", { path: address, limit: 2 })).toMatchObject({ kind: "ok" });
    expect(await call(session, "write", { path: address, content: "x" })).toMatchObject({
      code: "READ_ONLY",
    });
  });

  test("accepts host=sandbox in exec, and refuses host=gateway and elevated without a fallback", async () => {
    const host = await openTestHost(await temporaryFolder());
    const session = await host.openSession({ kind: "sandboxed" });
    const exec = (more: object) => call(session, "exec", { command: "true", ...more });
    expect(await exec({ host: "sandbox" })).toMatchObject({ kind: "ok" });
    expect(await exec({ host: "auto" })).toMatchObject({ kind: "ok" });
    for (const elsewhere of ["gateway", "node"]) {
      expect(await exec({ host: elsewhere })).toMatchObject({
        code: "EXEC_UNAVAILABLE",
        receipt: "none",
      });
    }
    expect(["ok", "pending"]).not.toContain((await exec({ elevated: true })).kind);
  });

  test("runs background commands with input and end", async () => {
    const host = await openTestHost(await temporaryFolder());
    const session = await host.openSession({ kind: "sandboxed" });
    const started = await call(session, "exec", {
      command: "read l; echo got $l; sleep 60",
      background: true,
    });
    const { sessionId } = (started as unknown as { details: { sessionId: string } }).details;
    await call(session, "process", { action: "write", sessionId, data: "it\n" });
    await expect
      .poll(async () => getText(await call(session, "process", { action: "log", sessionId })))
      .toContain("got it");
    expect(await call(session, "process", { action: "kill", sessionId })).toMatchObject({ kind: "ok" });
  });

  test("plans calls with the programs and files inside, if a rule asks for a plan", async () => {
    const host = await openTestHost(await temporaryFolder(), {
      policy: { deny: ["exec(rm *)", "read(path:private/**)"] },
    });
    const session = await host.openSession({ kind: "sandboxed" });
    await call(session, "write", { path: "private/a", content: "x" });
    await run(session, "ln -s private/a link");
    for (const path of ["private/a", "link", "/workspace/private/a"]) {
      expect(await call(session, "read", { path })).toMatchObject({ kind: "blocked", code: "POLICY_DENIED" });
    }
    expect(await call(session, "exec", { command: "rm -rf private" })).toMatchObject({ kind: "blocked" });
    const { plan } = await session.explain("exec", { command: "cat link" });
    expect(plan?.subjects?.command).toMatchObject({ cwd: "/workspace", commands: [{ name: "cat" }] });
    expect(await run(session, "cat link")).toBe("x");
  });
});

describe.skipIf(isSkipped)("tools of plugins in a sandbox", () => {
  const where = definePlugin({
    id: "where",
    tools: [
      defineTool({
        name: "where",
        description: "Says where it acts.",
        parameters: Type.Object({}),
        effects: ["read"],
        async execute(_id, _params, _signal, _update, { workspace }) {
          const { target, cwd } = workspace.describe();
          await workspace.fs.write("by-plugin.txt", Buffer.from("x"));
          return { content: [text(`${target} ${cwd}`)], details: {} };
        },
      }),
    ],
  });

  test("act inside the sandbox", async () => {
    const cwd = await temporaryFolder();
    const host = await openTestHost(cwd, {
      plugins: [where],
      policy: { sessions: { sandboxed: { grant: ["where"] } } },
    });
    const session = await host.openSession({ kind: "sandboxed" });
    expect(getText(await call(session, "where", {}))).toBe("sandbox /workspace");
    expect(await run(session, "cat by-plugin.txt")).toBe("x");
    await expect(readFile(join(cwd, "by-plugin.txt"))).rejects.toThrow("ENOENT");
  });

  test("work under the sandboxed names inside, and return WRONG_PLACE under the host names", async () => {
    const cwd = await temporaryFolder();
    const host = await openTestHost(cwd);
    const inside = await host.openSession({ kind: "sandboxed" });
    expect(await call(inside, "sandboxed_write", { path: "a", content: "x" })).toMatchObject({ kind: "ok" });
    expect(await call(inside, "sandboxed_edit", { path: "a", oldText: "x", newText: "y" })).toMatchObject({
      kind: "ok",
    });
    expect(await call(inside, "sandboxed_read", { path: "a" })).toMatchObject({
      kind: "ok",
      details: { path: "a", sandbox: true },
    });
    expect(await call(inside, "host_workspace_write", { path: "a", content: "x" })).toMatchObject({
      code: "WRONG_PLACE",
    });
    const outside = await host.openSession({ kind: "main" });
    expect(await call(outside, "sandboxed_write", { path: "a", content: "x" })).toMatchObject({
      code: "WRONG_PLACE",
    });
    expect(inside.tools().map(({ name }) => name)).not.toContain("sandboxed_read");
  });
});

describe.skipIf(isSkipped)("shared sandboxes", () => {
  test("share files but not processes between sessions of an agent, and close with the last session", async () => {
    const host = await openTestHost(await temporaryFolder(), { sandbox: { scope: "agent" } });
    const [one, other, stranger] = await Promise.all([
      host.openSession({ kind: "sandboxed", sessionKey: "a" }),
      host.openSession({ kind: "sandboxed", sessionKey: "b" }),
      host.openSession({ kind: "sandboxed", sessionKey: "c", agentId: "else" }),
    ]);
    expect(host.sandboxes()).toHaveLength(2);
    await run(one, "echo shared > /workspace/a");
    expect(await run(other, "cat a")).toBe("shared");
    expect(await run(stranger, "ls -A | wc -l")).toBe("0");
    await call(one, "exec", { command: "sleep 61", background: true });
    expect(getText(await call(other, "process", { action: "list" }))).toContain("No running");
    await one.close();
    expect(await run(other, "cat a; ps ax -o args 2>/dev/null | grep -c '[s]leep 61' || true")).toBe(
      "shared\n0",
    );
    await other.close();
    expect(host.sandboxes()).toHaveLength(1);
    await stranger.close();
    expect(host.sandboxes()).toEqual([]);
  });

  test("close with their only session", async () => {
    const host = await openTestHost(await temporaryFolder());
    const open = () => host.openSession({ kind: "sandboxed", sessionKey: "same" });
    const first = await open();
    await run(first, "echo x > a");
    await first.close();
    expect(await run(await open(), "ls -A | wc -l")).toBe("0");
  });

  test("stay open if the caller opened them", async () => {
    const cwd = await temporaryFolder();
    const host = await openTestHost(cwd, { sandbox: false });
    const spec = toSandboxSpec({}, { workspaceDir: cwd, sessionKey: "given", agentId: "main" });
    await using sandbox = await openSandbox(bubblewrap(), spec);
    const first = await host.openSession({ kind: "group", sandbox });
    expect(first.facts.kind).toBe("sandboxed");
    await run(first, "echo x > a");
    await first.close();
    expect(await run(await host.openSession({ kind: "group", sandbox }), "cat a")).toBe("x");
  });
});

describe.skipIf(isSkipped)("failures of a sandbox", () => {
  test("affect only the session whose sandbox cannot be opened", async () => {
    const cwd = await temporaryFolder();
    const host = await openTestHost(cwd, { sandbox: { setup: "echo no luck >&2; exit 3" } });
    await expect(host.openSession({ kind: "sandboxed" })).rejects.toMatchObject({
      code: "SANDBOX_SETUP_FAILED",
    });
    const session = await host.openSession({ kind: "sandboxed", sandbox: { setup: "true" } });
    expect(await run(session, "echo on")).toBe("on");
    expect(await run(await host.openSession(), "echo on")).toBe("on");
    expect(host.sandboxes()).toHaveLength(1);
  });

  test("report a lost sandbox, never run on the host, and reopen it with the next call", async () => {
    const cwd = await temporaryFolder();
    const backend = bubblewrap();
    const host = await openTestHost(cwd, { sandbox: { backend, workspaceAccess: "rw" } });
    const session = await host.openSession({ kind: "sandboxed" });
    await run(session, "echo x > a");
    const running = call(session, "exec", { command: "sleep 30; touch /workspace/late" });
    await expect.poll(async () => getText(await call(session, "process", { action: "list" }))).toBeDefined();
    const [ownSandbox] = host.sandboxes();
    await backend.destroy(ownSandbox!);
    const lost = await running;
    expect(lost).toMatchObject({ kind: "error", code: "SANDBOX_LOST", receipt: "unknown" });
    await expect.poll(async () => (await call(session, "read", { path: "a" })).kind).toBe("ok");
    expect(await run(session, "cat a; hostname")).toContain("x");
  });
});
